// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/store.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "analyzer/writers/json/call_sites_json.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/json/json_reader.hpp"

namespace waitdiag {
namespace {

using StoreJson = nlohmann::ordered_json;

constexpr std::size_t kCausesKept = 10, kHotspotsKept = 20;

// FNV-1a, 64 bits: a name for a text, not a secret.
std::string name_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::ostringstream name;
  name << std::hex << hash;
  return name.str();
}

std::string dumped(const StoreJson& json) {
  return json.dump(-1, ' ', false, StoreJson::error_handler_t::replace);
}

std::string series_of(const Fingerprint& fingerprint) {
  return name_of(dumped(StoreJson(fingerprint)));
}

// The parts that read_report_json() reads, the long lists cut.
StoreJson kept_of(Report report) {
  for (Report::Wait& wait : report.waits) {
    wait.by_rank.clear();
    wait.by_call_path.clear();
  }
  report.causes.resize(std::min(report.causes.size(), kCausesKept));
  report.call_sites.clear();  // in the structure
  report.hotspots.resize(std::min(report.hotspots.size(), kHotspotsKept));
  std::ostringstream text;
  write_json(report, text);
  const StoreJson all = StoreJson::parse(text.str());
  StoreJson kept;
  for (const char* part :
       {"schema", "run", "time", "efficiency", "waits", "hotspots", "causes", "data_quality"})
    kept[part] = all.at(part);
  for (StoreJson& cause : kept["causes"])
    for (const char* detail : {"why", "gain", "executions", "by_step"}) cause.erase(detail);
  return kept;
}

CheckResult::Verdict verdict_of(const std::string& name) {
  using Verdict = CheckResult::Verdict;
  for (const Verdict verdict : {Verdict::Pass, Verdict::Improved, Verdict::Inconclusive, Verdict::Changed,
                                Verdict::Regression, Verdict::Failed})
    if (name == verdict_name(verdict)) return verdict;
  throw std::runtime_error("no verdict is called " + name);
}

// One file, its lines sorted out by series.
class Reader {
 public:
  std::map<std::string, Store> series;

  void read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string line;
    for (std::size_t number = 1; std::getline(stream, line); ++number) {
      if (line.empty()) continue;
      try {
        take(StoreJson::parse(line));
      } catch (const std::exception& error) {
        oddities_.push_back(file + ":" + std::to_string(number) + " is skipped: " + error.what());
      }
    }
    if (stream.bad()) throw std::runtime_error("cannot read " + file + ": check that it is a readable file");
    finish();
  }
  const std::vector<std::string>& oddities() const { return oddities_; }

 private:
  void take(const StoreJson& line) {
    const std::string kind = line.at("kind");
    if (kind == "structure") {
      sites_[line.at("id")] = line.at("call_sites");
    } else if (kind == "run") {
      take_run(line);
    } else if (kind == "verdict") {
      StoredVerdict verdict{line.at("time"), verdict_of(line.at("verdict")), {}};
      for (const auto& [metric, name] : line.at("metrics").items())
        verdict.metrics[metric] = verdict_of(name.get<std::string>());
      series[line.at("series")].verdicts.push_back(std::move(verdict));
    } else if (kind == "accept") {
      series[line.at("series")].acceptances.push_back(
          {line.at("time"), line.at("metric"), line.at("reason")});
    } else {
      throw std::runtime_error("lines of kind " + kind + " are not known");
    }
  }
  void take_run(const StoreJson& line) {
    StoredRun run{line.at("time"), line.at("commit"), line.at("fingerprint").get<Fingerprint>(),
                  read_report_json(line.at("report").dump())};
    Store& store = series[line.at("series")];
    structures_[line.at("series")].push_back(line.at("structure"));
    store.runs.push_back(std::move(run));
  }
  void finish() {
    for (auto& [name, store] : series) {
      const std::vector<std::string>& structures = structures_[name];
      for (std::size_t i = 0; i < store.runs.size(); ++i)
        if (const auto sites = sites_.find(structures[i]); sites != sites_.end())
          for (const auto& [path, calls] : sites->second.items())
            store.runs[i].report.call_sites.push_back({path, calls.get<std::uint64_t>()});
      const auto earlier = [](const auto& a, const auto& b) { return a.time < b.time; };
      std::stable_sort(store.runs.begin(), store.runs.end(), earlier);
      std::stable_sort(store.verdicts.begin(), store.verdicts.end(), earlier);
      std::stable_sort(store.acceptances.begin(), store.acceptances.end(), earlier);
    }
  }

  std::map<std::string, StoreJson> sites_{};
  std::map<std::string, std::vector<std::string>> structures_{};  // by series, of its runs
  std::vector<std::string> oddities_{};
};

// Names of the structures that a file holds already; odd lines are the reader's business.
std::set<std::string> structures_in(const std::string& file) {
  std::set<std::string> names;
  std::ifstream stream(file, std::ios::binary);
  for (std::string line; std::getline(stream, line);) {
    const StoreJson json = StoreJson::parse(line, nullptr, false);
    if (json.is_object() && json.value("kind", "") == "structure") names.insert(json.value("id", ""));
  }
  return names;
}

void write_run(const StoredRun& run, std::set<std::string>& structures, std::ostream& out) {
  const StoreJson sites = call_sites_json(run.report.call_sites);
  const std::string structure = name_of(dumped(sites));
  if (structures.insert(structure).second)
    out << dumped({{"kind", "structure"}, {"id", structure}, {"call_sites", sites}}) << '\n';
  out << dumped({{"kind", "run"},
                 {"time", run.time},
                 {"commit", run.commit},
                 {"series", series_of(run.fingerprint)},
                 {"fingerprint", run.fingerprint},
                 {"structure", structure},
                 {"report", kept_of(run.report)}})
      << '\n';
}

}  // namespace

Fingerprint fingerprint_of(const Report& report, const std::map<std::string, std::string>& labels) {
  std::set<std::uint64_t> processors;
  for (const Report::NodeResources& node : report.node_resources) processors.insert(node.processors);
  std::string kinds;
  for (const std::uint64_t count : processors) kinds += (kinds.empty() ? "" : "+") + std::to_string(count);
  const Report::Run& run = report.run;
  Fingerprint fingerprint = {{"program", std::filesystem::path(run.program).filename().string()},
                             {"ranks", std::to_string(run.ranks)},
                             {"threads", std::to_string(run.threads)},
                             {"nodes", std::to_string(run.nodes)},
                             {"processors", kinds},
                             {"mpi", run.mpi},
                             {"diagnosis", run.rules + " " + run.model}};
  if (!run.profile.empty()) fingerprint["profile"] = run.profile;
  if (run.paused_s > 0) fingerprint["recorded"] = "in part";
  for (const auto& [name, value] : labels) fingerprint["label." + name] = value;
  return fingerprint;
}

std::string store_file(const std::string& directory, const std::string& case_name) {
  std::string name;
  for (const char c : case_name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !name.empty());
    name += plain ? c : '_';
  }
  return (std::filesystem::path(directory) / (name + ".jsonl")).string();
}

Store read_store(const std::string& file, const Fingerprint& fingerprint) {
  Reader reader;
  reader.read(file);
  const std::string wanted = series_of(fingerprint);
  Store store = reader.series[wanted];
  std::string latest;
  for (const auto& [name, other] : reader.series) {
    if (name == wanted || other.runs.empty()) continue;
    store.other_series += other.runs.size();
    if (other.runs.back().time < latest) continue;
    latest = other.runs.back().time;
    store.latest_other = other.runs.back().fingerprint;
  }
  store.oddities = reader.oddities();
  return store;
}

std::vector<Store> read_all_series(const std::string& file) {
  Reader reader;
  reader.read(file);
  std::vector<Store> stores;
  for (auto& [name, store] : reader.series) {
    if (store.runs.empty()) continue;
    store.oddities = reader.oddities();
    stores.push_back(std::move(store));
  }
  return stores;
}

void append_night(const std::string& file, const std::vector<StoredRun>& runs, const StoredVerdict& verdict,
                  const std::vector<Acceptance>& acceptances) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
  std::set<std::string> structures = structures_in(file);
  std::ostringstream lines;
  for (const StoredRun& run : runs) write_run(run, structures, lines);
  const std::string series = runs.empty() ? "" : series_of(runs.front().fingerprint);
  StoreJson metrics = StoreJson::object();
  for (const auto& [metric, one] : verdict.metrics) metrics[metric] = verdict_name(one);
  lines << dumped({{"kind", "verdict"},
                   {"time", verdict.time},
                   {"series", series},
                   {"verdict", verdict_name(verdict.verdict)},
                   {"metrics", metrics}})
        << '\n';
  for (const Acceptance& one : acceptances)
    lines << dumped({{"kind", "accept"},
                     {"time", one.time},
                     {"series", series},
                     {"metric", one.metric},
                     {"reason", one.reason}})
          << '\n';
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out << lines.str();  // in one go: two jobs that append at once do not mix their lines
  if (!out.flush())
    throw std::runtime_error("cannot append to " + file +
                             ": check that the directory is writable and has space left");
}

}  // namespace waitdiag
