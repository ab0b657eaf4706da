// What a prediction for another number of ranks, or another problem, rests on, and how sure it is. Times are
// seconds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waitdiag {

struct RescalingReport {
  struct Source {
    std::string name{}, problem{};  // as the user named it; "n=256" or empty
    std::uint64_t ranks = 0;
    double runtime_s = 0;
  };
  // A run, predicted from those that are smaller. Times are without MPI_Init.
  struct HeldOut {
    Source run{};
    double predicted_s = 0;
    double recorded_s = 0;
    double replayed_s = 0;       // the recorded run itself, replayed on the same machine
    bool where_recorded = true;  // nothing but the size was to change
    double error = 0;            // predicted : recorded - 1 where recorded, else predicted : replayed - 1
    std::uint64_t from_runs = 0;
    bool fewer_levels = false;  // its machine was found in runs that do not reach all levels: it tells little
  };
  // A recorded run, replayed as it was on the machine; without MPI_Init.
  struct Replay {
    Source run{};
    double error = 0;  // replayed : recorded - 1
  };
  // Of messages and of what collective operations send each member; bytes.
  struct Sizes {
    std::uint64_t least = 0, most = 0;
  };
  // Sizes that the target has and no recorded run: what they cost is a guess.
  struct Outside {
    Sizes recorded{}, target{};
    double share = 0;      // of the target's messages and parts of collective operations
    double doublings = 0;  // how far outside they are, a mean over all
  };
  struct Model {
    std::string call_path{}, text{};
    double share = 0;     // of all computation of the largest run
    double left_out = 0;  // symmetric mean error of each run predicted by the others
  };
  struct Wait {
    std::string pattern{}, title{};
    double total_s = 0;
  };
  struct Cause {
    std::string call_path{}, kind{};
    double waiting_s = 0, share = 0;  // of all waiting
    std::vector<std::int64_t> ranks{};
  };
  std::vector<Source> sources{};  // by size
  std::uint64_t repeats = 0;      // runs left out, because one of the same size was faster
  double repeats_longer = 0;      // what the slowest of them took more, relative, without MPI_Init
  std::uint64_t ranks = 0;
  std::string problem{};
  std::vector<std::string> grids{};
  std::vector<Model> models{};      // most time first
  std::uint64_t inexact_sizes = 0;  // messages and collective operations of a rank
  std::optional<HeldOut> held_out{};
  std::vector<HeldOut> held_out_before{};  // smaller runs, from those that are smaller still; by size
  // Where the machine is the recorded one, or may be (a file is named, and nothing changes computation).
  std::vector<Replay> replays{};     // by size; they count in the range
  std::optional<Outside> outside{};  // so do these
  bool machine_named = false;
  std::string no_range{};  // why nothing was held out
  double low_s = 0, high_s = 0;
  std::vector<Wait> waits{};    // in the replayed iterations
  std::vector<Cause> causes{};  // the same
};

// Whether the range is so wide, beyond half to double, that the recorded runs do not tell.
inline bool carries_too_far(const RescalingReport& report) {
  constexpr double kFarthest = 4;
  return report.held_out && report.high_s > kFarthest * report.low_s;
}

}  // namespace waitdiag
