// The best process grids as plain data.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/results/fields.hpp"

namespace waitdiag {

struct GridReport {
  struct Best {  // over this many dimensions of the array, the first ones
    std::vector<std::uint32_t> grid{};
    double predicted_s = 0, efficiency = 0, uniformity = 0;
    std::uint64_t grids = 0, candidates = 0, evaluations = 0;
    std::uint64_t ranks() const {
      std::uint64_t product = 1;
      for (const std::uint32_t along : grid) product *= along;
      return product;
    }
  };
  std::string verdict{};  // the best grid; empty where there is none
  std::string program{}, machine{}, method{};
  std::vector<std::uint64_t> array{}, halo{}, reductions{};
  std::uint64_t element_bytes = 0, iterations = 0, most_ranks = 0;
  double element_ns = 0, serial_s = 0, least_efficiency = 0;
  struct Tried {  // a grid that was replayed
    std::vector<std::uint32_t> grid{};
    double predicted_s = 0, efficiency = 0;
  };
  std::vector<Best> best{};
  std::vector<Tried> tried{};  // for a page: those of the search, and a selection of the others
  std::vector<std::string> notes{};
};

void fields(auto& visit, Of<GridReport::Best> auto& best) {
  visit("grid", best.grid);
  visit("predicted_s", best.predicted_s);
  visit("efficiency", best.efficiency, "time on one rank / (ranks * time)");
  visit("uniformity", best.uniformity, "smallest / largest block, worst dimension", kShare);
  visit("grids", best.grids, "that there are");
  visit("candidates", best.candidates, "that were not ruled out at first sight");
  visit("evaluations", best.evaluations, "that were replayed");
}

void fields(auto& visit, Of<GridReport::Tried> auto& tried) {
  visit("grid", tried.grid);
  visit("predicted_s", tried.predicted_s);
  visit("efficiency", tried.efficiency);
}

void fields(auto& visit, Of<GridReport> auto& report) {
  visit("verdict", report.verdict, "the best grid; empty where there is none");
  visit("program", report.program);
  visit("machine", report.machine);
  visit("method", report.method);
  visit("array", report.array, "elements along each dimension");
  visit("halo", report.halo);
  visit("element_bytes", report.element_bytes);
  visit("element_ns", report.element_ns, "computation of an element in one iteration");
  visit("iterations", report.iterations);
  visit("reductions", report.reductions, "bytes of each reduction of an iteration");
  visit("most_ranks", report.most_ranks);
  visit("least_efficiency", report.least_efficiency, "", kShare);
  visit("serial_s", report.serial_s, "on one rank");
  visit("notes", report.notes);
  visit("best", report.best, "for each number of distributed dimensions");
  visit("tried", report.tried,
        "with --html: grids that were replayed, by the search and to have a picture of the others",
        only_if(!report.tried.empty()));
}

template <>
struct Document<GridReport> {
  static constexpr const char* kSchema = "waitdiag.grids/1";
  static constexpr const char* kAbout =
      "What `waitdiag grid --json` writes. Times are seconds of all iterations.";
  static constexpr bool kRounded = false;
};

}  // namespace waitdiag
