// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/json/json_reader.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analyzer/trace/model/printable.hpp"

namespace waitdiag {
namespace {

using nlohmann::json;

// The writer puts null for what is undefined.
double number(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::vector<Report::ByRank> by_rank(const json& object) {
  std::vector<Report::ByRank> list;
  for (const auto& [rank, seconds] : object.items())
    list.push_back({std::stoll(rank), seconds.get<double>()});
  return list;
}

void read_run(const json& from, Report::Run& run) {
  from.at("program").get_to(run.program);
  from.at("mpi").get_to(run.mpi);
  from.at("ranks").get_to(run.ranks);
  from.at("threads").get_to(run.threads);
  from.at("nodes").get_to(run.nodes);
  from.at("runtime_s").get_to(run.runtime_s);
  from.at("mpi_calls").get_to(run.mpi_calls);
  from.at("messages").get_to(run.messages);
  from.at("collectives").get_to(run.collectives);
  run.message_bytes = from.value("message_bytes", std::uint64_t{0});
  run.collective_bytes = from.value("collective_bytes", std::uint64_t{0});
  from.at("steps").get_to(run.steps);
  run.paused_s = from.value("paused_s", 0.0);
  if (const auto rows = from.find("step_numbers"); rows != from.end())
    for (const json& row : *rows)
      run.step_numbers.push_back({row.at(0).get<std::uint64_t>(), row.at(1).get<std::uint64_t>()});
  run.predicted_for = from.value("predicted_for", "");
  run.profile = from.value("profile", "");
  run.hotspot_threshold = from.value("hotspot_threshold", run.hotspot_threshold);
  from.at("rules").get_to(run.rules);
  from.at("model").get_to(run.model);
}

void read_time(const json& from, Report::Time& time) {
  from.at("total_s").get_to(time.total_s);
  from.at("computation_s").get_to(time.computation_s);
  from.at("mpi_s").get_to(time.mpi_s);
  from.at("waiting_s").get_to(time.waiting_s);
}

void read_efficiency(const json& from, Report::Efficiency& efficiency) {
  efficiency.parallel = number(from.at("parallel"));
  efficiency.load_balance = number(from.at("load_balance"));
  efficiency.communication = number(from.at("communication"));
  efficiency.serialisation = number(from.at("serialisation"));
  efficiency.transfer = number(from.at("transfer"));
}

Report::WholeRun whole_run_of(const json& from) {
  Report::WholeRun whole;
  from.at("runtime_s").get_to(whole.runtime_s);
  from.at("recorded_s").get_to(whole.recorded_s);
  from.at("excerpts").get_to(whole.excerpts);
  from.at("steps").get_to(whole.steps);
  from.at("mpi_calls").get_to(whole.mpi_calls);
  from.at("messages").get_to(whole.messages);
  from.at("message_bytes").get_to(whole.message_bytes);
  from.at("collective_bytes").get_to(whole.collective_bytes);
  read_time(from.at("time"), whole.time);
  read_efficiency(from.at("efficiency"), whole.efficiency);
  from.at("unseen_mpi_s").get_to(whole.unseen_mpi_s);
  for (const json& site : from.at("call_sites"))
    whole.call_sites.push_back({site.at("call_path").get<std::string>(),
                                site.at("calls").get<std::uint64_t>(), site.at("seconds").get<double>(),
                                site.at("shortest_s").get<double>(), site.at("longest_s").get<double>(),
                                site.at("messages").get<std::uint64_t>(),
                                site.at("bytes").get<std::uint64_t>()});
  return whole;
}

Report::Wait wait_of(const json& from) {
  Report::Wait wait;
  from.at("pattern").get_to(wait.pattern);
  from.at("title").get_to(wait.title);
  from.at("waiting").get_to(wait.waiting);
  from.at("total_s").get_to(wait.total_s);
  from.at("count").get_to(wait.count);
  wait.part_of = from.value("part_of", "");
  return wait;
}

template <typename Entry>
void read_place(const json& from, Entry& entry) {
  from.at("call_path").get_to(entry.call_path);
  from.at("function").get_to(entry.function);
  from.at("file").get_to(entry.file);
  from.at("line").get_to(entry.line);
}

Report::Cause cause_of(const json& from) {
  Report::Cause cause;
  read_place(from, cause);
  from.at("kind").get_to(cause.kind);
  from.at("waiting_s").get_to(cause.waiting_s);
  from.at("excess_s").get_to(cause.excess_s);
  from.at("share_of_waiting").get_to(cause.share_of_waiting);
  for (const json& rank : from.at("ranks"))
    cause.ranks.push_back({rank.at("rank").get<std::int64_t>(), rank.at("waiting_s").get<double>()});
  return cause;
}

Report::Hotspot hotspot_of(const json& from) {
  Report::Hotspot hotspot;
  read_place(from, hotspot);
  from.at("share").get_to(hotspot.share);
  from.at("seconds").get_to(hotspot.seconds);
  from.at("visits").get_to(hotspot.visits);
  hotspot.by_rank = by_rank(from.at("by_rank"));
  return hotspot;
}

Report::NodeResources node_of(const json& from) {
  const json& processors = from.at("processors");
  return {from.at("node").get<std::string>(), processors.is_null() ? 0 : processors.get<std::uint64_t>(),
          from.at("runnable").get<double>(), from.at("most_runnable").get<std::uint64_t>()};
}

Report::Quality quality_of(const json& from) {
  return {from.at("id").get<std::string>(), from.at("severity").get<std::string>(),
          from.at("text").get<std::string>(), from.at("count").get<std::uint64_t>()};
}

// A kept report may come from anywhere, or from a waitdiag that let all names in.
json parse_printable(const std::string& text) {
  return json::parse(text, [](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::value && parsed.is_string())
      make_printable(parsed.get_ref<std::string&>());
    return true;
  });
}

}  // namespace

Report read_report_json(const std::string& text) {
  try {
    const json from = parse_printable(text);
    const std::string schema = from.is_object() ? from.value("schema", "") : "";
    if (schema != "waitdiag.report/1")
      throw std::runtime_error(schema.empty() ? "is not a report of waitdiag (it has no \"schema\")"
                                              : "has the schema " + schema + ", not waitdiag.report/1");
    Report report;
    read_run(from.at("run"), report.run);
    read_time(from.at("time"), report.time);
    read_efficiency(from.at("efficiency"), report.efficiency);
    if (const auto whole = from.find("whole_run"); whole != from.end())
      report.whole_run = whole_run_of(*whole);
    for (const json& wait : from.at("waits")) report.waits.push_back(wait_of(wait));
    for (const json& cause : from.at("causes")) report.causes.push_back(cause_of(cause));
    for (const json& hotspot : from.at("hotspots")) report.hotspots.push_back(hotspot_of(hotspot));
    if (const auto sites = from.find("call_sites"); sites != from.end())
      for (const auto& [path, calls] : sites->items())
        report.call_sites.push_back({printable(path), calls.get<std::uint64_t>()});
    if (const auto resources = from.find("resources"); resources != from.end())
      for (const json& node : resources->at("nodes")) report.node_resources.push_back(node_of(node));
    if (const auto ending = from.find("ending"); ending != from.end())
      report.ending = {.how = ending->at("how").get<std::string>(),
                       .time_s = ending->at("time_s").get<double>()};
    for (const json& quality : from.at("data_quality")) report.data_quality.push_back(quality_of(quality));
    return report;
  } catch (const json::exception& error) {
    throw std::runtime_error(std::string("is not a whole report of waitdiag: ") + error.what());
  } catch (const std::logic_error& error) {  // a rank that is no number
    throw std::runtime_error(std::string("is not a whole report of waitdiag: ") + error.what());
  }
}

}  // namespace waitdiag
