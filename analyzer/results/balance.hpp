// Load balance as plain data.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waitdiag {

// What the loads of P ranks say of the speed-up they can have (Zhang, Wu, Song). Numbers of the equations are
// theirs; analyzer/scaling/balance/balance_model.hpp has them in full.
struct BalanceFigures {
  std::uint64_t ranks = 0;       // P
  double total = 0;              // X, the load of one rank that does everything
  double mean = 0, largest = 0;  // of the ranks
  double delta = 0;              // largest - mean
  double alpha = 0;              // (5): delta / X
  double eta = 0;                // side of a rank's part of the grid, in cells; 0: not known
  double halo_factor = 1;        // (1 + 4 l / eta): what computing halo cells as well costs
  double c_p = 0;                // (2): communication / computation
  double ideal_speedup = 0, ideal_efficiency = 0;  // (3), (4): with even loads
  double real_speedup = 0, real_efficiency = 0;    // (6): with these
  double alpha_p() const { return alpha * static_cast<double>(ranks); }
};

struct BalanceReport {
  struct Case {
    std::string name{};           // "cartesian 8x8", or the file or archive
    std::vector<double> loads{};  // by rank
    BalanceFigures figures{};
    std::vector<std::int64_t> fullest{};  // ranks with the largest load, up to rounding
    std::uint64_t empty_ranks = 0;        // without any load
    // Recorded runs only:
    std::optional<double> runtime_s{}, measured_efficiency{};
    std::uint64_t steps = 0;                // time steps that were told apart; 0: none
    std::optional<double> alpha_by_step{};  // with the largest load of every single step added up
    std::vector<std::int64_t> owners{};     // of the squares of `picture`; -1: nobody
  };
  // A map of loads, for a page: made coarser where it has more cells than a screen has room for.
  struct Picture {
    std::uint64_t width = 0, height = 0;  // squares
    std::uint64_t cells = 1;              // along the side of a square
    std::vector<double> load{};           // mean of its cells, row by row
  };
  struct Improvement {  // (7), (8): part of the run time that is saved, relative
    std::string from{}, to{};
    std::uint64_t ranks = 0;
    double modelled = 0;
    std::optional<double> measured{};
  };
  struct PopRow {  // Table 1 of the paper beside the model; shares, not per cent
    std::uint64_t ranks = 0;
    double alpha_p_a = 0, alpha_p_b = 0;          // as printed: they include the mean load
    double printed_2400 = 0, modelled_2400 = 0;   // M = 2400
    double printed_3600 = 0, modelled_3600 = 0;   // M = 3600
    double printed_measured = 0, recomputed = 0;  // (7) from the printed run times
  };
  std::string source{}, load_unit{};
  std::vector<std::string> assumptions{};
  std::vector<Case> cases{};
  std::vector<Improvement> improvements{};
  std::vector<PopRow> pop_table{};
  std::optional<Picture> picture{};
};

}  // namespace waitdiag
