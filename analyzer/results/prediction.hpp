// A prediction as plain data. Times are seconds; those of the run are means over the ranks' threads unless
// they say otherwise.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/fields.hpp"
#include "analyzer/results/recorded_machine.hpp"
#include "analyzer/results/rescaling.hpp"
#include "analyzer/results/steady.hpp"

namespace waitdiag {

struct PredictionReport {
  struct Figures {
    double runtime_s = 0;
    double computation_s = 0;    // mean
    double communication_s = 0;  // mean, all time in MPI calls
    double waiting_s = 0;        // mean, the part of it until the other side was ready; predicted runs only
    double efficiency = 0;       // computation / run time
  };
  struct Scenario {
    std::string machine{}, machine_description{}, mapping{};
    double compute_scale = 1;
    std::vector<std::string> edits{};  // what-ifs, as the user gave them
  };
  struct ByRank {
    std::int64_t rank = 0;
    double finish_s = 0, computation_s = 0, communication_s = 0, waiting_s = 0;
  };
  struct Approximation {
    std::string id{}, text{};
    std::uint64_t count = 0;
    double time_s = 0;  // recorded time that it affects, over all ranks
    double share = 0;   // of all recorded time
  };
  struct PathEntry {
    std::string call_path{};
    double seconds = 0;
  };
  struct SweepPoint {
    double value = 0;
    std::string label{};
    Figures figures{};
  };
  struct WhatIf {
    std::string options{};
    Figures figures{};
  };
  // Unit times of another machine by which computation was scaled
  // (analyzer/simulation/prediction/unit_scaling.hpp).
  struct UnitTimes {
    struct CallPath {
      enum class Match : std::uint8_t { Common, Missing, Uncertain };
      std::string call_path{};
      std::uint64_t count = 0;  // of all ranks, in this run
      double seconds = 0;       // of one
      std::optional<double> other_seconds{};
      double factor = 1;  // the computation was scaled by it
      double share = 0;   // of all computation
      Match match = Match::Missing;
    };
    std::string file{}, program{}, machine{};
    std::uint32_t ranks = 1;
    double mean_factor = 1;              // of the common ones, weighted by their time
    double unmatched_share = 0;          // of computation that was scaled by the mean
    std::vector<CallPath> call_paths{};  // most time first
  };
  // The runs that it was made from; figures of an average rank of the last one.
  struct Recorded {
    std::string program{};
    std::vector<std::uint64_t> ranks{};
    std::vector<double> runtimes_s{};
    double computation_s = 0, communication_s = 0;
    double runtime_s() const { return runtimes_s.empty() ? 0 : runtimes_s.back(); }
    double efficiency() const { return runtime_s() > 0 ? computation_s / runtime_s() : 0; }
  };
  // Of causes of waiting: what the report says that it saves, and what the replay does.
  struct Repairs {
    struct Cause {
      std::string call_path{};
      double saves_s = 0;
    };
    std::vector<Cause> causes{};
    double unchanged_runtime_s = 0;
  };
  std::string verdict{};  // the predicted run time against the recorded one, and why
  Recorded recorded{};
  std::uint64_t ranks = 0, operations = 0, messages = 0;
  Figures predicted{};
  Scenario scenario{};
  std::vector<ByRank> by_rank{};
  std::vector<Approximation> approximations{};
  std::vector<PathEntry> critical_path{};  // of the predicted run, longest first
  SteadyIterations steady{};
  std::string sweep_parameter{};  // empty: no sweep
  double sweep_current = 0;       // the parameter's value in the prediction itself
  std::vector<SweepPoint> sweep{};
  std::vector<WhatIf> what_ifs{};  // for a page; the prediction itself is one of them
  Repairs repairs{};
  std::optional<UnitTimes> unit_times{};
  std::optional<RecordedMachineReport> recorded_machine{};  // no other was named
  // Of a run with other ranks or another problem; then `recorded` is the largest run that was recorded.
  std::optional<RescalingReport> rescaling{};
};

void fields(auto& visit, Of<PredictionReport::Figures> auto& figures) {
  visit("runtime_s", figures.runtime_s);
  visit("computation_s", figures.computation_s, "of an average rank, as the following ones");
  visit("communication_s", figures.communication_s, "all time in MPI calls");
  visit("waiting_s", figures.waiting_s, "the part of it until the other side had come");
  visit("efficiency", figures.efficiency, "computation / run time");
}

void fields(auto& visit, Of<PredictionReport::Recorded> auto& recorded) {
  visit("program", recorded.program);
  visit("ranks", recorded.ranks);
  visit("runtime_s", recorded.runtimes_s);
  visit("computation_s", recorded.computation_s);
  visit("communication_s", recorded.communication_s);
}

void fields(auto& visit, Of<PredictionReport::Scenario> auto& scenario) {
  visit("machine", scenario.machine);
  visit("mapping", scenario.mapping);
  visit("compute_scale", scenario.compute_scale);
  visit("edits", scenario.edits, "what-ifs, as the user gave them");
  visit("machine_description", scenario.machine_description, "",
        only_if(!scenario.machine_description.empty()));
}

void fields(auto& visit, Of<PredictionReport::ByRank> auto& row) {
  visit("rank", row.rank);
  visit("finish_s", row.finish_s, "since the run began");
  visit("computation_s", row.computation_s);
  visit("communication_s", row.communication_s);
  visit("waiting_s", row.waiting_s);
}

void fields(auto& visit, Of<PredictionReport::Approximation> auto& one) {
  visit("id", one.id, "", kIdentifier);
  visit("text", one.text);
  visit("count", one.count);
  visit("time_s", one.time_s, "recorded time it touches, all ranks together");
  visit("share", one.share, "of all recorded time");
}

void fields(auto& visit, Of<PredictionReport::PathEntry> auto& entry) {
  visit("call_path", entry.call_path);
  visit("seconds", entry.seconds);
}

void fields(auto& visit, Of<PredictionReport::SweepPoint> auto& point) {
  visit("value", point.value, "times: ns; sizes: bytes; bandwidths: bytes per second; others as they are",
        kSigned);
  visit("label", point.label);
  fields(visit, point.figures);
}

void fields(auto& visit, Of<PredictionReport::WhatIf> auto& what_if) {
  visit("options", what_if.options);
  fields(visit, what_if.figures);
}

void fields(auto& visit, Of<PredictionReport::Repairs::Cause> auto& cause) {
  visit("call_path", cause.call_path);
  visit("saves_s", cause.saves_s, "by this repair alone, timing the recorded run again", kSigned);
}

void fields(auto& visit, Of<PredictionReport::Repairs> auto& repairs) {
  visit("causes", repairs.causes);
  visit("unchanged_runtime_s", repairs.unchanged_runtime_s, "predicted without the repairs");
}

template <>
inline constexpr std::array kWords<PredictionReport::UnitTimes::CallPath::Match> =
    std::to_array<std::string_view>({"common", "missing", "uncertain"});

void fields(auto& visit, Of<PredictionReport::UnitTimes::CallPath> auto& path) {
  visit("call_path", path.call_path);
  visit("count", path.count, "visits (of sampled code: stretches between MPI calls), all ranks");
  visit("seconds", path.seconds, "of one, in the recorded run");
  visit("other_seconds", path.other_seconds, "of one, there; null: missing");
  visit("factor", path.factor, "by which its computation was scaled");
  visit("share", path.share, "of all computation");
  visit("match", path.match);
}

void fields(auto& visit, Of<PredictionReport::UnitTimes> auto& times) {
  visit("file", times.file);
  visit("program", times.program, "of the run there");
  visit("machine", times.machine, "its nodes");
  visit("ranks", times.ranks);
  visit("mean_factor", times.mean_factor, "of the common call paths, weighted with their time");
  visit("unmatched_share", times.unmatched_share, "of computation that was scaled by the mean factor",
        kShare);
  visit("call_paths", times.call_paths, "of the recorded run, most time first");
}

// What was requested in addition to the prediction itself.
void fields_on_demand(auto& visit, Of<PredictionReport> auto& report) {
  visit.group("sweep", "", only_if(!report.sweep_parameter.empty()), [&report](auto& inside) {
    inside("parameter", report.sweep_parameter);
    inside("current", null_for(report.sweep_current, std::numeric_limits<double>::infinity()),
           "in the prediction itself, of the shortest messages; null: no limit");
    inside("points", report.sweep);
  });
  visit("what_ifs", report.what_ifs,
        "with --html: what was predicted, its what-ifs one by one, and others that could be tried",
        only_if(!report.what_ifs.empty()));
  visit("repairs", report.repairs, "with --repair", only_if(!report.repairs.causes.empty()));
  visit("unit_times", report.unit_times,
        "with --unit-times: what another machine takes for one visit of each call path, by which "
        "computation was scaled",
        only_if(report.unit_times.has_value()));
  visit("recorded_machine", report.recorded_machine, "the machine, if it was found in the recorded runs",
        only_if(report.recorded_machine.has_value()));
  visit("rescaling", report.rescaling,
        "of a run with other ranks or another problem: what it rests on and how sure it is",
        only_if(report.rescaling.has_value()));
}

void fields(auto& visit, Of<PredictionReport> auto& report) {
  visit("verdict", report.verdict, "one sentence");
  visit("from", report.recorded,
        "the recorded runs it was made of; computation and communication of an average rank of the last one");
  visit.group("scenario", "", {}, [&report](auto& inside) {
    inside("ranks", report.ranks);
    fields(inside, report.scenario);
  });
  fields(visit, report.predicted);
  visit("operations", report.operations, "calls and stretches of computation that were replayed");
  visit("messages", report.messages, "those of collective operations included");
  visit("critical_path", report.critical_path, "what the predicted run time consists of, longest first");
  visit("by_rank", report.by_rank);
  visit("approximations", report.approximations, "what could not be replayed as it was");
  visit("steady", report.steady, "iterations of the longest loop");
  fields_on_demand(visit, report);
}

template <>
struct Document<PredictionReport> {
  static constexpr const char* kSchema = "waitdiag.prediction/1";
  static constexpr const char* kAbout =
      "What `waitdiag predict --json` writes. Times are seconds; those of the run are means over its ranks "
      "unless "
      "they say otherwise.";
  static constexpr bool kRounded = false;
};

}  // namespace waitdiag
