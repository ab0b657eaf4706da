// A prediction as plain data. Times are seconds; those of the run are means over the ranks' threads unless
// they say otherwise.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/recorded_machine.hpp"
#include "analyzer/results/rescaling.hpp"
#include "analyzer/results/steady.hpp"

namespace waitdiag {

struct PredictionReport {
  struct Figures {
    double runtime_s = 0;
    double computation_s = 0;    // mean
    double communication_s = 0;  // mean, all time in MPI calls
    double waiting_s = 0;        // mean, the part of it until the other side had come; predicted runs only
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
    double time_s = 0;  // recorded time it touches, of all ranks
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
  // Unit times of another machine by which computation was scaled
  // (analyzer/simulation/prediction/unit_scaling.hpp).
  struct UnitTimes {
    struct CallPath {
      enum class Match { Common, Missing, Uncertain };
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
    double mean_factor = 1;              // of the common ones, weighted with their time
    double unmatched_share = 0;          // of computation that was scaled by the mean
    std::vector<CallPath> call_paths{};  // most time first
  };
  std::string program{};
  std::uint64_t ranks = 0, operations = 0, messages = 0;
  Figures recorded{}, predicted{};
  Scenario scenario{};
  std::vector<ByRank> by_rank{};
  std::vector<Approximation> approximations{};
  std::vector<PathEntry> critical_path{};  // of the predicted run, longest first
  SteadyIterations steady{};
  std::string sweep_parameter{};  // empty: no sweep
  double sweep_current = 0;       // the parameter's value in the prediction itself
  std::vector<SweepPoint> sweep{};
  std::vector<SweepPoint> what_ifs{};  // for a page: by their options; what was predicted is one of them
  std::optional<UnitTimes> unit_times{};
  std::optional<RecordedMachineReport> recorded_machine{};  // no other was named
  // Of a run with other ranks or another problem; then `recorded` is the largest run that was recorded.
  std::optional<RescalingReport> rescaling{};
};

}  // namespace waitdiag
