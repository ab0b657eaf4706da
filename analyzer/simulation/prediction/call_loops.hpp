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
  std::vector<std::uint32_t> groups{};  // of each call: calls at the same place of a loop form one group
  std::uint32_t group_count = 0;
  // Loops with equally many iterations, none inside another.
  std::vector<CallLoop> loops{};  // those with most calls that few iterations can represent; may be empty
  std::uint32_t iterations() const { return loops.empty() ? 1 : loops.front().count; }
};

// By number of iterations: the loops with that many, by first call, none inside another.
using LoopsByCount = std::map<std::uint32_t, std::vector<CallLoop>>;

// Where keys contain neither peers nor requests, a loop over one kind of call does not count: its iterations
// may be neighbours, not steps.
enum class SingleCalls : std::uint8_t { AreNoLoop, AreALoop };

// Calls with the same key do the same: iterations of a loop have the same keys.
LoopsByCount find_loops(const std::vector<std::uint32_t>& keys, CallLoops& found,
                        SingleCalls single = SingleCalls::AreNoLoop);

// The last call of each loop when it has that many iterations.
std::vector<std::uint32_t> last_loop_calls(const std::vector<CallLoop>& loops, std::uint32_t iterations);

// Calls that need not be simulated if a few iterations are enough.
double calls_saved(const std::vector<CallLoop>& loops);

}  // namespace waitdiag
