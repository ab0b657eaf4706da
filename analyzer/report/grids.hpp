// The best process grids as plain data, and its writers: text for people, JSON of the schema
// waitdiag.grids/1.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "analyzer/report/layout.hpp"

namespace waitdiag {

struct GridReport {
  struct Best {  // over the first so many dimensions of the array
    std::vector<std::uint32_t> grid{};
    double predicted_s = 0, efficiency = 0, uniformity = 0;
    std::uint64_t grids = 0, candidates = 0, evaluations = 0;
  };
  std::string program{}, machine{}, method{};
  std::vector<std::uint64_t> array{}, halo{}, reductions{};
  std::uint64_t element_bytes = 0, iterations = 0, most_ranks = 0;
  double element_ns = 0, serial_s = 0, least_efficiency = 0;
  struct Tried {  // a grid that was replayed
    std::vector<std::uint32_t> grid{};
    double predicted_s = 0, efficiency = 0;
  };
  std::vector<Best> best{};
  std::vector<Tried> tried{};  // for a page: those of the search, and some that show the others
  std::vector<std::string> notes{};
};

// One sentence: the best grid; empty where there is none.
std::string grids_verdict(const GridReport& report);

void write_grids_text(const GridReport& report, const TextStyle& style, std::ostream& out);
void write_grids_json(const GridReport& report, std::ostream& out);

}  // namespace waitdiag
