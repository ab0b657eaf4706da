// The number of turns of a loop that runs more often with more ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/scaling/sequences/sequence.hpp"

namespace waitdiag {

struct TurnCount {
  int in_target = 0;
  std::string text{};  // "p - 1"
  int times = 1;       // that often a part of them: of 3 * log2(p)
};

// `turns`: by run. A multiple of the number of ranks, of an extent of a grid or of the problem's size, or of
// the logarithm of one of these, plus or minus a small constant, that is right for all runs; so often in each
// of several steps; or a power of one of these, rounded (4 sqrt(p) iterations). Nothing: there is none. `tree`: partners may
// be twice as far away in each turn, which needs a logarithm (2), or as in a tree of so many (3, 4, 8); 0: neither.
std::optional<TurnCount> find_turn_count(const std::vector<int>& turns, const Sizes& sizes, int tree);

}  // namespace waitdiag
