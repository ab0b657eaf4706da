// Loops whose partners are twice as far in each turn, or half, and of whose calls ranks leave out some in some turns: those to
// whom no partner is so far away.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/scaling/sequences/call_pattern.hpp"
#include "analyzer/scaling/sequences/merged_calls.hpp"

namespace waitdiag {

// Which turns come next is known by how far partners are.
struct OptionalTurn {
  int number = 0;                      // the same for all ranks of a run; counted from anywhere
  std::vector<std::uint32_t> calls{};  // of the body
};

// It begins with a message, and all its messages are as far away.
bool is_whole_turn(std::span<const DescribedCall> turn);

// 1: partners are ever farther, -1: ever nearer; 0: neither.
int doublings(const PatternPart& loop, const std::vector<DescribedCall>& pattern_calls);

// The turns of `loop` that `calls` make from `from` on, as many as there are. `ranks`: of the run.
std::vector<OptionalTurn> optional_turns(const PatternPart& loop,
                                         const std::vector<DescribedCall>& pattern_calls,
                                         const std::vector<DescribedCall>& calls, std::size_t from,
                                         int ranks);

// Such loops take the calls next to them that are some of their own. False: there are none.
bool make_calls_optional(CallPattern& pattern, const std::vector<DescribedCall>& pattern_calls);

// Turns are counted from the first one that some rank of the run makes. `places`: by kind of rank.
void number_turns(const CallPattern& pattern, const CallKinds& kinds,
                  std::vector<std::vector<PatternPlace>>& places);

}  // namespace waitdiag
