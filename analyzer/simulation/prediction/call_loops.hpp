// Loops in a list of calls.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace waitdiag {

struct CallLoop {
  std::uint32_t first = 0, length = 0, count = 1;  // calls of one iteration; iterations
};

struct CallLoops {
  std::vector<std::uint32_t> groups{};  // of each call: calls at one place of a loop are one group
  std::uint32_t group_count = 0;
  // Loops with as many iterations each, none inside of another of them.
  std::vector<CallLoop> loops{};  // those with most calls that few iterations can tell of; may be empty
  std::uint32_t iterations() const { return loops.empty() ? 1 : loops.front().count; }
};

// By number of iterations: the loops with so many, by first call, none inside of another of them.
using LoopsByCount = std::map<std::uint32_t, std::vector<CallLoop>>;

// Where keys tell of neither peers nor requests, a loop over one kind of call is none: its iterations may be
// neighbours, not steps.
enum class SingleCalls : std::uint8_t { AreNoLoop, AreALoop };

// Calls with the same key do the same: iterations of a loop have the same keys.
LoopsByCount find_loops(const std::vector<std::uint32_t>& keys, CallLoops& found,
                        SingleCalls single = SingleCalls::AreNoLoop);

// With so many iterations of each loop: the last call of each.
std::vector<std::uint32_t> last_loop_calls(const std::vector<CallLoop>& loops, std::uint32_t iterations);

// Calls that need not be simulated if a few iterations are enough.
double calls_saved(const std::vector<CallLoop>& loops);

}  // namespace waitdiag
