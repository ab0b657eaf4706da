// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/store.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "analyzer/results/report_document.hpp"
#include "analyzer/writers/json/object_reader.hpp"
#include "analyzer/writers/json/object_writer.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kCausesKept = 10, kHotspotsKept = 20, kNodesKept = 20;

// FNV-1a, 64 bits: a name for a text, not a secret.
std::string name_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::ostringstream name;
  name << std::hex << hash;
  return name.str();
}

std::string series_of(const Fingerprint& fingerprint) {
  return name_of(
      nlohmann::ordered_json(fingerprint).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// The parts by which runs are compared and causes named, with long lists cut.
Report kept_of(const Report& report) {
  Report kept;
  kept.run = report.run;
  kept.time = report.time;
  kept.efficiency = report.efficiency;
  kept.waits = report.waits;
  for (Report::Wait& wait : kept.waits) {
    wait.by_rank.clear();
    wait.by_call_path.clear();
  }
  kept.hotspots = report.hotspots;
  kept.hotspots.resize(std::min(kept.hotspots.size(), kHotspotsKept));
  kept.causes = report.causes;
  kept.causes.resize(std::min(kept.causes.size(), kCausesKept));
  for (Report::Cause& cause : kept.causes) cause.why.kind.clear();  // only leading causes have the rest
  kept.counted = report.counted;
  kept.taken_processors = report.taken_processors;
  kept.taken_processors.resize(std::min(kept.taken_processors.size(), kNodesKept));
  kept.data_quality = report.data_quality;
  return kept;
}

// The lines of a file by their kinds.
struct StructureLine {
  static constexpr const char* kKind = "structure";
  std::string id{};
  std::vector<Report::CallSite> call_sites{};
};
struct RunLine {
  static constexpr const char* kKind = "run";
  StoredRun run{};
  std::string series{}, structure{};
};
struct VerdictLine {
  static constexpr const char* kKind = "verdict";
  StoredVerdict verdict{};
  std::string series{};
};
struct AcceptanceLine {
  static constexpr const char* kKind = "accept";
  Acceptance acceptance{};
  std::string series{};
};

void fields(auto& visit, Of<StructureLine> auto& line) {
  visit("id", line.id);
  visit("call_sites", keyed(line.call_sites, &Report::CallSite::call_path, &Report::CallSite::calls));
}
void fields(auto& visit, Of<RunLine> auto& line) {
  visit("time", line.run.time);
  visit("commit", line.run.commit);
  visit("series", line.series);
  visit("fingerprint", line.run.fingerprint);
  visit("structure", line.structure);
  visit("report", line.run.report);
}
void fields(auto& visit, Of<VerdictLine> auto& line) {
  visit("time", line.verdict.time);
  visit("series", line.series);
  visit("verdict", line.verdict.verdict);
  visit("metrics", line.verdict.metrics);
}
void fields(auto& visit, Of<AcceptanceLine> auto& line) {
  visit("time", line.acceptance.time);
  visit("series", line.series);
  visit("metric", line.acceptance.metric);
  visit("reason", line.acceptance.reason);
}

template <typename Line>
std::string text_of(const Line& line) {
  std::ostringstream out;
  {
    JsonText text(out, JsonText::Layout::OneLine);
    ObjectWriter writer(text, true);
    writer("kind", std::string(Line::kKind));
    fields(writer, line);
  }
  out << '\n';
  return out.str();
}

template <typename Line>
Line line_of(const nlohmann::json& from) {
  Line line;
  const ObjectReader reader(from);
  fields(reader, line);
  return line;
}

// One file, its lines divided by series.
class Reader {
 public:
  std::map<std::string, Store> series;

  void read(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string line;
    for (std::size_t number = 1; std::getline(stream, line); ++number) {
      if (line.empty()) continue;
      try {
        take(parse_printable(line));
      } catch (const std::exception& error) {
        oddities_.push_back(file + ":" + std::to_string(number) + " is skipped: " + error.what());
      }
    }
    if (stream.bad()) throw std::runtime_error("cannot read " + file + ": check that it is a readable file");
    finish();
  }
  const std::vector<std::string>& oddities() const { return oddities_; }

 private:
  void take(const nlohmann::json& line) {
    const std::string kind = line.at("kind");
    if (kind == StructureLine::kKind) {
      auto [id, call_sites] = line_of<StructureLine>(line);
      sites_[id] = std::move(call_sites);
    } else if (kind == RunLine::kKind) {
      auto [run, name, structure] = line_of<RunLine>(line);
      structures_[name].push_back(structure);
      series[name].runs.push_back(std::move(run));
    } else if (kind == VerdictLine::kKind) {
      auto [verdict, name] = line_of<VerdictLine>(line);
      series[name].verdicts.push_back(std::move(verdict));
    } else if (kind == AcceptanceLine::kKind) {
      auto [acceptance, name] = line_of<AcceptanceLine>(line);
      series[name].acceptances.push_back(std::move(acceptance));
    } else {
      throw std::runtime_error("lines of kind " + kind + " are not known");
    }
  }
  void finish() {
    for (auto& [name, store] : series) {
      const std::vector<std::string>& structures = structures_[name];
      for (std::size_t i = 0; i < store.runs.size(); ++i)
        if (const auto sites = sites_.find(structures[i]); sites != sites_.end())
          store.runs[i].report.call_sites = sites->second;
      const auto earlier = [](const auto& a, const auto& b) { return a.time < b.time; };
      std::stable_sort(store.runs.begin(), store.runs.end(), earlier);
      std::stable_sort(store.verdicts.begin(), store.verdicts.end(), earlier);
      std::stable_sort(store.acceptances.begin(), store.acceptances.end(), earlier);
    }
  }

  std::map<std::string, std::vector<Report::CallSite>> sites_{};
  std::map<std::string, std::vector<std::string>> structures_{};  // by series, of its runs
  std::vector<std::string> oddities_{};
};

// Names of the structures that a file already has; odd lines are reported by the reader.
std::set<std::string> structures_in(const std::string& file) {
  std::set<std::string> names;
  std::ifstream stream(file, std::ios::binary);
  for (std::string line; std::getline(stream, line);) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object() && json.value("kind", "") == "structure") names.insert(json.value("id", ""));
  }
  return names;
}

void write_run(const StoredRun& run, std::set<std::string>& structures, std::ostream& out) {
  StructureLine sites{.call_sites = run.report.call_sites};
  sites.id = name_of(text_of(sites));
  if (structures.insert(sites.id).second) out << text_of(sites);
  out << text_of(RunLine{
      {run.time, run.commit, run.fingerprint, kept_of(run.report)}, series_of(run.fingerprint), sites.id});
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
  lines << text_of(VerdictLine{verdict, series});
  for (const Acceptance& one : acceptances) lines << text_of(AcceptanceLine{one, series});
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out << lines.str();  // in one write: two jobs that append at once do not mix their lines
  if (!out.flush())
    throw std::runtime_error("cannot append to " + file +
                             ": check that the directory is writable and has space left");
}

}  // namespace waitdiag
