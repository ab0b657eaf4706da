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
  // Where recorded: the largest run replayed : recorded - 1. It counts in the range.
  double replay_error = 0;
  std::string no_range{};  // why nothing was held out
  double low_s = 0, high_s = 0;
  std::vector<Wait> waits{};    // in the replayed iterations
  std::vector<Cause> causes{};  // the same
};

}  // namespace waitdiag
