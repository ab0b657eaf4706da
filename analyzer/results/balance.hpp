// Load balance as plain data.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/results/fields.hpp"

namespace waitdiag {

// What the loads of P ranks say about the possible speed-up (Zhang, Wu, Song). The numbers of equations are
// those of the paper; analyzer/scaling/balance/balance_model.hpp has the equations.
struct BalanceFigures {
  std::uint64_t ranks = 0;       // P
  double total = 0;              // X, the load of one rank that does everything
  double mean = 0, largest = 0;  // of the ranks
  double delta = 0;              // largest - mean
  double alpha = 0;              // (5): delta / X
  double eta = 0;                // side of a rank's part of the grid, in cells; 0: not known
  double halo_factor = 1;        // (1 + 4 l / eta): the cost of computing halo cells as well
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
    std::uint64_t steps = 0;                // time steps that were distinguished; 0: none
    std::optional<double> alpha_by_step{};  // from the sum of the largest loads of all steps
    std::vector<std::int64_t> owners{};     // of the squares of `picture`; -1: none
  };
  // A map of loads, for a page: made coarser where it has more cells than fit on a screen.
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
  std::string verdict{};  // one or two sentences on the first case; empty where there is none
  std::string source{}, load_unit{};
  std::vector<std::string> assumptions{};
  std::vector<Case> cases{};
  std::vector<Improvement> improvements{};
  std::vector<PopRow> pop_table{};
  std::optional<Picture> picture{};
};

void fields(auto& visit, Of<BalanceFigures> auto& figures) {
  visit("ranks", figures.ranks);
  visit("total", figures.total);
  visit("mean", figures.mean);
  visit("largest", figures.largest);
  visit("delta", figures.delta, "largest - mean");
  visit("alpha", figures.alpha, "delta / total", kShare);
  visit("alpha_p", Derived{figures.alpha_p()}, "alpha * ranks: delta / mean");
  visit("eta", null_for(figures.eta, 0), "side of a rank's part of the grid, in cells; null: not known");
  visit("halo_factor", figures.halo_factor, "1 + 4 l / eta");
  visit("c_p", figures.c_p, "communication / computation");
  visit("ideal_speedup", figures.ideal_speedup);
  visit("ideal_efficiency", figures.ideal_efficiency);
  visit("real_speedup", figures.real_speedup);
  visit("real_efficiency", figures.real_efficiency);
}

void fields(auto& visit, Of<BalanceReport::Case> auto& one) {
  visit("name", one.name, "distribution, file or archive");
  fields(visit, one.figures);
  visit("fullest_ranks", one.fullest, "with the largest load, up to rounding");
  visit("empty_ranks", one.empty_ranks, "without any load");
  visit("runtime_s", one.runtime_s, "of a recorded run");
  visit("measured_efficiency", one.measured_efficiency, "of a recorded run: mean computation / run time");
  visit("steps", one.steps, "time steps the loads are means over; 0: loads of the whole run");
  visit("alpha_by_step", one.alpha_by_step, "with the fullest rank of every single step");
  visit("loads", one.loads, "by rank");
  visit("owners", one.owners, "with --html: the rank of each square of the picture; -1: nobody",
        only_if(!one.owners.empty()) | kSigned);
}

void fields(auto& visit, Of<BalanceReport::Picture> auto& picture) {
  visit("width", picture.width, "squares");
  visit("height", picture.height);
  visit("cells", picture.cells, "along the side of a square");
  visit("load", picture.load, "mean of its cells, row by row");
}

void fields(auto& visit, Of<BalanceReport::Improvement> auto& one) {
  visit("from", one.from);
  visit("to", one.to);
  visit("ranks", one.ranks);
  visit("modelled", one.modelled, "", kSigned | kShare);
  visit("measured", one.measured, "", kSigned | kShare);
}

void fields(auto& visit, Of<BalanceReport::PopRow> auto& row) {
  visit("ranks", row.ranks);
  visit("alpha_p_a", row.alpha_p_a, "as printed: largest load / mean", kSigned);
  visit("alpha_p_b", row.alpha_p_b, "", kSigned);
  visit("printed_2400", row.printed_2400, "", kSigned);
  visit("modelled_2400", row.modelled_2400, "", kSigned);
  visit("printed_3600", row.printed_3600, "", kSigned);
  visit("modelled_3600", row.modelled_3600, "", kSigned);
  visit("printed_measured", row.printed_measured, "", kSigned);
  visit("recomputed", row.recomputed, "", kSigned);
}

void fields(auto& visit, Of<BalanceReport> auto& report) {
  visit("verdict", report.verdict, "one or two sentences on the first case; empty where there is none");
  visit("source", report.source);
  visit("load_unit", report.load_unit);
  visit("assumptions", report.assumptions);
  visit("cases", report.cases);
  visit("improvements", report.improvements, "part of the run time that is saved, relative; negative: lost");
  visit("pop_table", report.pop_table, "--table pop only");
  visit("picture", report.picture, "with --html: the map of loads, made coarser if it is large",
        only_if(report.picture.has_value()));
}

template <>
struct Document<BalanceReport> {
  static constexpr const char* kSchema = "waitdiag.balance/1";
  static constexpr const char* kAbout =
      "What `waitdiag balance --json` writes. Loads have the unit load_unit; shares are parts of 1; null "
      "where not "
      "known.";
  static constexpr bool kRounded = false;
};

}  // namespace waitdiag
