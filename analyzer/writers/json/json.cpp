// The machine-readable report: one function for each part of the schema waitdiag.report/1, keys in its order.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/json/json.hpp"

#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "analyzer/wording/ending.hpp"
#include "analyzer/writers/json/call_sites_json.hpp"
#include "analyzer/writers/json/cause_json.hpp"
#include "analyzer/writers/json/wait_detail_json.hpp"
#include "analyzer/writers/json/whole_run_json.hpp"

namespace waitdiag {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson run_facts(const Report::Run& run) {
  OrderedJson facts = {{"ranks", run.ranks},
                       {"threads", run.threads},
                       {"nodes", run.nodes},
                       {"runtime_s", tidy(run.runtime_s)},
                       {"clock_error_s", tidy(run.clock_error_s)},
                       {"program", run.program},
                       {"mpi", run.mpi},
                       {"creator", run.creator},
                       {"events", run.events},
                       {"mpi_calls", run.mpi_calls},
                       {"messages", run.messages},
                       {"collectives", run.collectives},
                       {"message_bytes", run.message_bytes},
                       {"collective_bytes", run.collective_bytes},
                       {"predicted_for", run.predicted_for},
                       {"profile", run.profile},
                       {"sampling", run.sampling},
                       {"steps", run.steps},
                       {"steps_source", run.steps_source},
                       {"rules", run.rules},
                       {"interval", run.interval},
                       {"model", run.model},
                       {"hotspot_threshold", run.hotspot_threshold}};
  if (run.paused_s > 0) facts["paused_s"] = tidy(run.paused_s);
  for (const Report::Run::StepNumbers& row : run.step_numbers)
    facts["step_numbers"].push_back({row.first, row.last});
  return facts;
}

OrderedJson open_call_entry(const Report::Ending::OpenCall& call) {
  return {{"rank", call.rank},
          {"thread", call.thread},
          {"call_path", call.call_path},
          {"function", call.function},
          {"file", call.file},
          {"line", call.line},
          {"entered_s", tidy(call.entered_s)},
          {"open_s", tidy(call.open_s)}};
}

OrderedJson outside_entry(const Report::Ending::Outside& outside) {
  return {{"rank", outside.rank}, {"call_path", outside.call_path}, {"since_s", tidy(outside.since_s)}};
}

template <typename Entry>
OrderedJson list_of(const std::vector<Entry>& entries, OrderedJson (*to_json)(const Entry&)) {
  OrderedJson list = OrderedJson::array();
  for (const Entry& entry : entries) list.push_back(to_json(entry));
  return list;
}

OrderedJson ending_entry(const Report::Ending& ending) {
  OrderedJson entry = {{"how", ending.how},
                       {"sentence", ending_sentence(ending)},
                       {"rank", ending.rank >= 0 ? OrderedJson(ending.rank) : OrderedJson()},
                       {"time_s", tidy(ending.time_s)},
                       {"call_path", ending.call_path},
                       {"open_calls", list_of(ending.open_calls, open_call_entry)},
                       {"outside_mpi", list_of(ending.outside_mpi, outside_entry)}};
  if (ending.how == "aborted") entry["code"] = ending.code;
  return entry;
}

OrderedJson time_totals(const Report::Time& time) {
  return {{"total_s", tidy(time.total_s)},
          {"computation_s", tidy(time.computation_s)},
          {"mpi_s", tidy(time.mpi_s)},
          {"waiting_s", tidy(time.waiting_s)}};
}

OrderedJson efficiency_tree(const Report::Efficiency& efficiency) {
  return {{"parallel", efficiency.parallel},           {"load_balance", efficiency.load_balance},
          {"communication", efficiency.communication}, {"serialisation", efficiency.serialisation},
          {"transfer", efficiency.transfer},           {"method", efficiency.method}};
}

OrderedJson by_rank_object(const std::vector<Report::ByRank>& by_rank) {
  OrderedJson object = OrderedJson::object();
  for (const Report::ByRank& entry : by_rank) object[std::to_string(entry.rank)] = tidy(entry.seconds);
  return object;
}

OrderedJson by_call_path_list(const std::vector<Report::ByCallPath>& by_call_path) {
  OrderedJson list = OrderedJson::array();
  for (const Report::ByCallPath& entry : by_call_path)
    list.push_back({{"call_path", entry.call_path}, {"seconds", tidy(entry.seconds)}});
  return list;
}

OrderedJson wait_entry(const Report::Wait& wait) {
  OrderedJson entry = {{"pattern", wait.pattern},
                       {"title", wait.title},
                       {"waiting", wait.waiting},
                       {"total_s", tidy(wait.total_s)},
                       {"count", wait.count},
                       {"by_rank", by_rank_object(wait.by_rank)},
                       {"by_call_path", by_call_path_list(wait.by_call_path)}};
  if (!wait.part_of.empty()) entry["part_of"] = wait.part_of;
  if (!wait.candidates.empty()) entry["candidates"] = candidate_list(wait);
  if (wait.nonblocking_s > 0) entry["nonblocking_s"] = tidy(wait.nonblocking_s);
  if (wait.uncertain_s > 0) entry["uncertain_s"] = tidy(wait.uncertain_s);
  return entry;
}

OrderedJson hotspot_entry(const Report::Hotspot& hotspot) {
  return {{"call_path", hotspot.call_path}, {"function", hotspot.function},
          {"file", hotspot.file},           {"line", hotspot.line},
          {"share", tidy(hotspot.share)},   {"seconds", tidy(hotspot.seconds)},
          {"visits", hotspot.visits},       {"by_rank", by_rank_object(hotspot.by_rank)}};
}

OrderedJson replayed_gains_entry(const Report::ReplayedGains& gains) {
  return {{"replayed", gains.replayed},
          {"retimed", gains.retimed},
          {"error", tidy(gains.error)},
          {"refused", gains.refused}};
}

OrderedJson critical_path(const Report::CriticalPath& path) {
  OrderedJson by_call_path = OrderedJson::array(), over_time = OrderedJson::array();
  for (const Report::CriticalPath::Entry& entry : path.by_call_path)
    by_call_path.push_back({{"call_path", entry.call_path},
                            {"seconds", tidy(entry.seconds)},
                            {"imbalance_s", tidy(entry.imbalance_s)}});
  for (const Report::CriticalPath::Stretch& stretch : path.over_time)
    over_time.push_back({{"from_s", tidy(stretch.from_s)},
                         {"to_s", tidy(stretch.to_s)},
                         {"rank", stretch.rank},
                         {"share", tidy(stretch.share)}});
  return {{"total_s", tidy(path.total_s)}, {"late_start_s", tidy(path.late_start_s)},
          {"by_call_path", by_call_path},  {"by_rank", by_rank_object(path.by_rank)},
          {"over_time", over_time},        {"changes", path.changes}};
}

OrderedJson delay_cost_entry(const Report::DelayCost& cost) {
  return {{"pattern", cost.pattern},
          {"short_s", tidy(cost.short_s)},
          {"long_s", tidy(cost.long_s)},
          {"direct_s", tidy(cost.direct_s)},
          {"indirect_s", tidy(cost.indirect_s)},
          {"propagating_s", tidy(cost.propagating_s)},
          {"terminal_s", tidy(cost.terminal_s)}};
}

OrderedJson remainder_entry(const Report::Remainder& remainder) {
  return {{"id", remainder.id}, {"seconds", tidy(remainder.seconds)}, {"text", remainder.text}};
}

OrderedJson messages(const Report& report) {
  const auto count = [](const Report::MessageCount& c) {
    return OrderedJson{{"messages", c.messages}, {"bytes", c.bytes}};
  };
  OrderedJson sizes = OrderedJson::array(), pairs = OrderedJson::array(),
              communicators = OrderedJson::array();
  for (const Report::MessageSizes& row : report.message_sizes)
    sizes.push_back({{"above_bytes", row.above_bytes},
                     {"up_to_bytes", row.ends ? OrderedJson(row.up_to_bytes) : OrderedJson()},
                     {"same_chip", count(row.same_chip)},
                     {"same_node", count(row.same_node)},
                     {"other_node", count(row.other_node)},
                     {"unknown_layer", count(row.unknown_layer)}});
  for (const Report::MessagePair& pair : report.message_pairs)
    pairs.push_back(
        {{"from", pair.from}, {"to", pair.to}, {"messages", pair.messages}, {"bytes", pair.bytes}});
  for (const Report::CommunicatorUse& use : report.communicators)
    communicators.push_back({{"name", use.name},
                             {"size", use.size},
                             {"messages", use.messages},
                             {"bytes", use.bytes},
                             {"collectives", use.collectives},
                             {"collective_bytes", use.collective_bytes},
                             {"collective_s", tidy(use.collective_s)},
                             {"waiting_s", tidy(use.waiting_s)}});
  return {{"by_size", sizes}, {"by_pair", pairs}, {"by_communicator", communicators}};
}

OrderedJson part_efficiency_entry(const Report::PartEfficiency& row) {
  OrderedJson entry = efficiency_tree(row.tree);
  entry.update({{"part", row.part},
                {"time_s", tidy(row.time_s)},
                {"computation_s", tidy(row.computation_s)},
                {"mpi_s", tidy(row.mpi_s)},
                {"waiting_s", tidy(row.waiting_s)}});
  entry["on_critical_path"] = efficiency_tree(row.on_path);
  entry["critical_path_s"] = tidy(row.path_s);
  if (row.first_step) entry.update({{"first_step", *row.first_step}, {"last_step", *row.last_step}});
  if (!row.region.empty()) entry["region"] = row.region;
  return entry;
}

OrderedJson characteristics_entry(const Report::Characteristics& row) {
  OrderedJson entry = {{"part", row.part},
                       {"time_s", tidy(row.time_s)},
                       {"efficiency", row.efficiency},
                       {"processor_time_s", tidy(row.processor_time_s)},
                       {"productive_s", tidy(row.productive_s)},
                       {"lost_s", tidy(row.lost_s)},
                       {"communication_s", tidy(row.communication_s)},
                       {"insufficient_parallelism_s", tidy(row.insufficient_parallelism_s)},
                       {"idle_s", tidy(row.idle_s)},
                       {"desynchronised_before_s", tidy(row.desynchronised_before_s)},
                       {"desynchronised_after_s", tidy(row.desynchronised_after_s)},
                       {"overlap_s", tidy(row.overlap_s)}};
  if (!row.region.empty()) entry["region"] = row.region;
  return entry;
}

OrderedJson operation_class_entry(const Report::OperationClass& entry) {
  return {{"class", entry.id},
          {"count", entry.count},
          {"time_s", tidy(entry.time_s)},
          {"waiting_s", tidy(entry.waiting_s)},
          {"desynchronised_before_s", tidy(entry.desynchronised_before_s)},
          {"desynchronised_after_s", tidy(entry.desynchronised_after_s)},
          {"overlap_s", tidy(entry.overlap_s)}};
}

template <typename Value>
OrderedJson over_time(const std::vector<std::optional<Value>>& columns) {
  OrderedJson list = OrderedJson::array();
  for (const std::optional<Value>& value : columns) {
    if constexpr (std::is_floating_point_v<Value>) {
      list.push_back(value ? OrderedJson(std::round(*value * 1e4) / 1e4) : OrderedJson());
    } else {
      list.push_back(value ? OrderedJson(*value) : OrderedJson());
    }
  }
  return list;
}

OrderedJson resources(const Report& report) {
  OrderedJson ranks = OrderedJson::array(), nodes = OrderedJson::array();
  for (const Report::RankResources& row : report.rank_resources)
    ranks.push_back({{"rank", row.rank},
                     {"processors", tidy(row.processors)},
                     {"most_resident_bytes", row.most_resident_bytes},
                     {"processors_over_time", over_time(row.processors_over_time)},
                     {"resident_bytes_over_time", over_time(row.resident_bytes_over_time)}});
  for (const Report::NodeResources& row : report.node_resources)
    nodes.push_back({{"node", row.node},
                     {"processors", row.processors > 0 ? OrderedJson(row.processors) : OrderedJson()},
                     {"runnable", tidy(row.runnable)},
                     {"most_runnable", row.most_runnable}});
  return {{"column_s", tidy(report.resources_column_s)}, {"ranks", ranks}, {"nodes", nodes}};
}

OrderedJson file_access(const Report::FileAccess& row) {
  OrderedJson entry = {{"calls", row.calls},
                       {"seconds", tidy(row.seconds)},
                       {"read_bytes", row.read_bytes},
                       {"written_bytes", row.written_bytes}};
  if (!row.call_path.empty()) entry["call_path"] = row.call_path;
  return entry;
}

OrderedJson files(const Report::Files& use) {
  OrderedJson document = file_access(use.all);
  document["by_call_path"] = list_of(use.by_call_path, file_access);
  return document;
}

OrderedJson off_processor_entry(const Report::OffProcessor& row) {
  return {{"rank", row.rank},           {"blocked_s", tidy(row.blocked_s)},
          {"blocked", row.blocked},     {"preempted_s", tidy(row.preempted_s)},
          {"preempted", row.preempted}, {"perhaps_s", tidy(row.perhaps_s)}};
}

OrderedJson recording_entry(const Report::Recording& recording) {
  OrderedJson ranks = OrderedJson::array();
  for (const Report::Recording::OfRank& row : recording.ranks)
    ranks.push_back({{"rank", row.rank},
                     {"calls", row.calls},
                     {"failed_polls", row.failed_polls},
                     {"path_s", tidy(row.path_s)},
                     {"flush_s", tidy(row.flush_s)},
                     {"total_s", tidy(row.total_s)}});
  return {{"call_s", tidy(recording.call_s)}, {"poll_s", tidy(recording.poll_s)}, {"ranks", ranks}};
}

OrderedJson worker_threads_entry(const Report::WorkerThreads& row) {
  OrderedJson functions = OrderedJson::array();
  for (const Report::WorkerThreads::Function& function : row.functions) {
    OrderedJson entry = {{"function", function.function}, {"share", tidy(function.share)}};
    if (!function.file.empty()) {
      entry["file"] = function.file;
      entry["line"] = function.line;
    }
    functions.push_back(std::move(entry));
  }
  OrderedJson document = {{"rank", row.rank}, {"threads", row.threads}, {"samples", row.samples}};
  if (row.cpu_s) document["cpu_s"] = tidy(*row.cpu_s);
  document["functions"] = std::move(functions);
  return document;
}

OrderedJson quality_entry(const Report::Quality& quality) {
  return {
      {"id", quality.id}, {"count", quality.count}, {"severity", quality.severity}, {"text", quality.text}};
}

}  // namespace

void write_json(const Report& report, std::ostream& out) {
  OrderedJson document = {
      {"schema", "waitdiag.report/1"},
      {"run", run_facts(report.run)},
      {"time", time_totals(report.time)},
      {"efficiency", efficiency_tree(report.efficiency)},
      {"efficiency_on_critical_path", efficiency_tree(report.efficiency_on_critical_path)},
      {"waits", list_of(report.waits, wait_entry)},
      {"hotspots", list_of(report.hotspots, hotspot_entry)},
      {"causes", list_of(report.causes, cause_entry)}};
  add_eager_threshold(report.run, document["run"]);
  if (report.whole_run)
    document["whole_run"] = whole_run_entry(*report.whole_run, time_totals(report.whole_run->time),
                                            efficiency_tree(report.whole_run->efficiency));
  if (report.efficiency_by_replay)
    document["efficiency_by_replay"] = efficiency_tree(*report.efficiency_by_replay);
  if (!report.no_efficiency_by_replay.empty())
    document["no_efficiency_by_replay"] = report.no_efficiency_by_replay;
  if (report.replayed_gains) document["replayed_gains"] = replayed_gains_entry(*report.replayed_gains);
  if (!report.efficiency_by_part.empty())
    document["efficiency_by_part"] = list_of(report.efficiency_by_part, part_efficiency_entry);
  if (report.ending) document["ending"] = ending_entry(*report.ending);
  if (!report.delay_costs.empty()) document["delay_costs"] = list_of(report.delay_costs, delay_cost_entry);
  if (!report.call_sites.empty()) document["call_sites"] = call_sites_json(report.call_sites);
  if (report.late_start)
    document["late_start"] = {{"rank", report.late_start->rank},
                              {"late_s", tidy(report.late_start->late_s)},
                              {"stayed_s", tidy(report.late_start->stayed_s)}};
  document["critical_path"] = critical_path(report.critical_path);
  if (!report.message_sizes.empty() || !report.communicators.empty()) document["messages"] = messages(report);
  if (!report.characteristics.empty()) {
    document["characteristics"] = list_of(report.characteristics, characteristics_entry);
    document["operation_classes"] = list_of(report.operation_classes, operation_class_entry);
  }
  if (!report.rank_resources.empty()) document["resources"] = resources(report);
  if (report.files) document["files"] = files(*report.files);
  if (!report.off_processor.empty())
    document["off_processor"] = list_of(report.off_processor, off_processor_entry);
  if (!report.worker_threads.empty())
    document["worker_threads"] = list_of(report.worker_threads, worker_threads_entry);
  if (report.recording) document["recording"] = recording_entry(*report.recording);
  document["explained_s"] = tidy(report.explained_s);
  document["unexplained_s"] = tidy(report.unexplained_s);
  document["conservation_residual_s"] = tidy(report.conservation_residual_s);
  document["remainders"] = list_of(report.remainders, remainder_entry);
  if (!report.clock_violations.empty()) document["clock_violations"] = clock_violation_list(report);
  document["data_quality"] = list_of(report.data_quality, quality_entry);
  // Function names come from foreign binaries: an odd byte must not cost the whole report.
  out << document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) << '\n';
}

}  // namespace waitdiag
