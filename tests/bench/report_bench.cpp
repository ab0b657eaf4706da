// What a whole report costs, from the archive to JSON: CPU seconds, seconds and peak memory of every stage,
// on one line. The archive is a generated run; --archive keeps it, so that two builds read the same one.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/formats/read/read.hpp"
#include "analyzer/results/rank_groups.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/memory/memory_limit.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tests/support/generated/generated_run.hpp"
#include "tests/support/generated/generated_shapes.hpp"

namespace waitdiag {
namespace {

namespace fs = std::filesystem;
using fixtures::GeneratedRun;
using fixtures::RunPattern;
using fixtures::RunStyle;
using fixtures::ShapePattern;

double cpu_seconds() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A line of /proc/self/status, in bytes.
double memory(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return 1024 * std::stod(line.substr(key.size() + 1));
  }
  return 0;
}
void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << 5;
}

// CPU seconds, seconds and peak memory of each stage.
class Meter {
 public:
  struct Stage {
    std::string name;
    double cpu = 0, wall = 0, peak = 0;
  };
  void start(std::string_view name) {
    stop();
    stages_.push_back({std::string(name)});
    forget_peak();
    start_ = cpu_seconds();
    began_ = Clock::now();
  }
  void stop() {
    if (stages_.empty()) return;
    Stage& last = stages_.back();
    if (last.peak > 0) return;
    const std::chrono::duration<double> wall = Clock::now() - began_;
    last = {last.name, cpu_seconds() - start_, wall.count(), memory("VmHWM") - base_};
  }
  const std::vector<Stage>& stages() const { return stages_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<Stage> stages_;
  double base_ = memory("VmRSS"), start_ = 0;
  Clock::time_point began_{};
};

struct Result {
  std::uint64_t events = 0, calls = 0, waits = 0;
  double waiting_share = 0;  // of the time of all locations
};

Result report_on(const fs::path& archive, const DiagnosisOptions& options, const fs::path& to, Meter& meter) {
  meter.start("read");
  const Trace trace = read_archive(archive);
  Stages stages([&](std::string_view name, double) { meter.start(name); });
  const Report report = make_report(trace, options, stages);
  meter.start("write");
  std::ostringstream json;
  write_json(with_ranks_grouped(report), json);
  meter.stop();
  if (!to.empty()) std::ofstream(to) << json.str();
  Result result{.events = trace.facts().events};
  for (const Timeline& timeline : trace.timelines()) result.calls += timeline.size();
  for (const Report::Wait& wait : report.waits) result.waits += wait.waiting ? wait.count : 0;
  result.waiting_share = report.time.waiting_s / report.time.total_s;
  return result;
}

void print(const std::string& what, const Result& result, const Meter& meter, double wall) {
  double cpu = 0, peak = 0;
  std::string details;
  const auto count = static_cast<double>(result.events);
  for (const Meter::Stage& stage : meter.stages()) {
    cpu += stage.cpu;
    peak = std::max(peak, stage.peak);
    details +=
        fmt::format(", {} {:.2f} {:.2f} s {:.0f} B", stage.name, stage.cpu, stage.wall, stage.peak / count);
  }
  fmt::print(
      "{}: {:.2f} M events, {:.2f} CPU s, {:.2f} s, {:.2f} M events per CPU s, {:.1f} bytes per event{}\n",
      what, 1e-6 * count, cpu, wall, 1e-6 * count / cpu, peak / count, details);
}

void print_json(const Result& result, const Meter& meter, double wall) {
  std::string stages;
  for (const Meter::Stage& stage : meter.stages())
    stages += fmt::format("{}{{\"name\": \"{}\", \"cpu_s\": {}, \"seconds\": {}, \"peak_bytes\": {}}}",
                          stages.empty() ? "" : ", ", stage.name, stage.cpu, stage.wall, stage.peak);
  fmt::print(
      "{{\"events\": {}, \"calls\": {}, \"waits\": {}, \"waiting_share\": {}, \"seconds\": {}, \"stages\": "
      "[{}]}}\n",
      result.events, result.calls, result.waits, result.waiting_share, wall, stages);
}

const std::map<std::string, ShapePattern> kShapes{{"samples", ShapePattern::Samples},
                                                  {"recursion", ShapePattern::Recursion},
                                                  {"functions", ShapePattern::Functions},
                                                  {"scans", ShapePattern::Scans},
                                                  {"rooted", ShapePattern::Rooted},
                                                  {"communicators", ShapePattern::Communicators},
                                                  {"pairs", ShapePattern::Pairs},
                                                  {"pipeline", ShapePattern::Pipeline},
                                                  {"ring", ShapePattern::Ring},
                                                  {"tags", ShapePattern::Tags},
                                                  {"requests", ShapePattern::Requests},
                                                  {"polls", ShapePattern::Polls},
                                                  {"fences", ShapePattern::Fences},
                                                  {"locks", ShapePattern::Locks},
                                                  {"neighbourhoods", ShapePattern::Neighbourhoods},
                                                  {"alltoallv", ShapePattern::Alltoallv},
                                                  {"wavefront", ShapePattern::Wavefront},
                                                  {"overlap", ShapePattern::Overlap},
                                                  {"persistent", ShapePattern::Persistent},
                                                  {"sparse", ShapePattern::Sparse},
                                                  {"paths", ShapePattern::Paths},
                                                  {"deep", ShapePattern::Deep}};

// CLI11's own transformers also print the values, and those of one byte as control characters.
template <typename Choice, typename Value>
void add_choice(CLI::App& app, const std::string& option, Choice& choice,
                const std::map<std::string, Value>& values, const std::string& help) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  app.add_option_function<std::string>(
         option, [&choice, values](const std::string& name) { choice = values.at(name); }, help)
      ->check(CLI::IsMember(names));
}

void add_run(CLI::App& app, GeneratedRun& run) {
  const std::map<std::string, RunPattern> patterns{{"nonblocking", RunPattern::HaloNonblocking},
                                                   {"blocking", RunPattern::HaloBlocking},
                                                   {"sendrecv", RunPattern::HaloSendrecv},
                                                   {"tasks", RunPattern::MasterAndWorkers},
                                                   {"ping-pong", RunPattern::PingPong}};
  const std::map<std::string, RunStyle> styles{{"unwound", RunStyle::Unwound},
                                               {"instrumented", RunStyle::Instrumented}};
  add_choice(app, "--pattern", run.pattern, patterns, "of communication");
  add_choice(app, "--style", run.style, styles, "of recording");
  app.add_option("--ranks", run.ranks);
  app.add_option("--steps", run.steps, "a halo step of a rank has some 35 events, a task 7");
  app.add_flag("--periodic", run.periodic, "the grid of a halo wraps around");
  app.add_flag("--late-sends", run.late_sends, "nobody sends before all of a step is computed");
  app.add_option("--slow-moves-every", run.slow_moves_every, "steps, then the next rank is the slow one");
  app.add_option("--slow-ranks", run.slow_ranks, "at a time");
  app.add_option("--slow-functions", run.slow_functions, "in which they spend that time");
  app.add_option("--nested", run.nested, "functions between main and those that compute");
  app.add_option("--allreduce-every", run.allreduce_every, "steps; 0: never");
  app.add_option("--output-every", run.output_every, "steps; 0: never");
  app.add_option("--wait-percent", run.wait_percent, "of a step, for ranks that are not slow")
      ->check(CLI::Range(0, 99));
}

}  // namespace
}  // namespace waitdiag

int main(int argc, char** argv) {
  using namespace waitdiag;
  GeneratedRun run;
  DiagnosisOptions options;
  std::string archive, report;
  std::optional<ShapePattern> shape;
  unsigned threads = 0, memory = 0;
  bool json = false;
  CLI::App app("What a whole report costs");
  const std::map<std::string, Model> models{{"h-cwp-dm", Model::HCwpDm}, {"cwp-dm", Model::CwpDm}};
  add_run(app, run);
  add_choice(app, "--shape", shape, kShapes, "instead of a pattern, with its ranks and steps");
  add_choice(app, "--model", options.model, models, "of what is compared");
  app.add_option("--threads", threads, "0: one per core");
  app.add_option("--archive", archive, "written if it does not exist, and kept");
  app.add_option("--memory", memory, "of it at most for large blocks, in MiB; 0: no limit");
  app.add_flag(
      "--no-replays", [&](std::int64_t) { options.replays = Replays::Never; },
      "small runs are not replayed either");
  app.add_option("--report", report, "writes the report itself, as JSON: is it the same from two builds?");
  app.add_flag("--json", json, "one line of JSON");
  CLI11_PARSE(app, argc, argv);

  const bool keep = !archive.empty();
  if (!keep) archive = (fs::temp_directory_path() / fmt::format("report_bench_{}", ::getpid())).string();
  if (!fs::exists(archive)) {
    if (shape)
      fixtures::write_generated_shape(archive, {*shape, run.ranks, run.steps});
    else
      fixtures::write_generated_run(archive, run);
  }
  const ThreadLimit limit(threads);
  scratch_beside(archive);
  limit_memory(std::uint64_t{memory} << 20, Limit::Chosen);
  const auto start = std::chrono::steady_clock::now();
  Meter meter;
  const Result result = report_on(archive, options, report, meter);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (json) {
    print_json(result, meter, wall.count());
  } else {
    print(keep ? archive : fmt::format("{} ranks, {} steps", run.ranks, run.steps), result, meter,
          wall.count());
  }
  if (!keep) fs::remove_all(archive);
}
