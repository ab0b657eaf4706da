// How a program's times grow with the number of ranks, as plain data. Times are seconds of an average rank.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waitdiag {

struct ScalingReport {
  // c0 + c1 * p^i * log2(p)^j
  struct Model {
    std::string text{};
    double constant = 0, coefficient = 0;
    double power = 0;  // i
    int logarithms = 0;
    double r_squared = 0;  // NaN: the time is the same everywhere
    double smape = 0;      // 0 .. 2, of the runs it was made of
    double left_out = 0;   // the same, each run predicted by the others
  };
  struct Row {
    std::string call_path{};
    bool communication = false;
    std::vector<double> mean_s{}, most_s{};  // by size; of an average rank, of the rank with most
    Model model{};
    double predicted_s = 0;  // at `up_to`; of the whole run: the sum of all call paths
  };
  // From so many ranks on this call path takes most of the time.
  struct Bottleneck {
    std::uint64_t from_ranks = 0;
    std::string call_path{};
    double share = 0;  // of all modelled time there
    bool measured = false;
    bool holds =
        true;  // measured, or the models of this call path and of the one before predict left-out runs
  };
  std::string program{};
  std::vector<std::uint64_t> sizes{};  // ranks, ascending
  std::vector<std::string> sources{};  // as the user named them
  std::uint64_t up_to = 0;
  Row runtime{};                    // from when MPI_Init is left
  std::vector<double> startup_s{};  // by size: until the last rank has left MPI_Init
  std::vector<Row> rows{};          // most time at `up_to` first
  double left_out_share = 0;        // of the largest run's time: call paths too small to be modelled
  std::vector<Bottleneck> bottlenecks{};
  bool reaches = true;  // the model of what takes most at `up_to` holds
  std::vector<std::string> cautions{};
};

}  // namespace waitdiag
