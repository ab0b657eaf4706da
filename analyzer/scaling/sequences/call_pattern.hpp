// What a program does, as a pattern that the calls of every rank of every run follow: calls, and loops whose
// partners are further away in each turn, or that run once for each partner.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/scaling/sequences/described_calls.hpp"

namespace waitdiag {

// How a call of a loop's body may change from turn to turn, in bits: its partners, those sent to and those received
// from, the sizes, and how many members its communicator has.
struct Ways {
  static constexpr std::uint32_t kAnything = UINT32_MAX;
  std::uint32_t to = kAnything, from = kAnything, bytes = kAnything, members = kAnything;
  bool any() const { return to != 0 && from != 0 && bytes != 0 && members != 0; }
  friend Ways operator&(const Ways& a, const Ways& b) {
    return {a.to & b.to, a.from & b.from, a.bytes & b.bytes, a.members & b.members};
  }
};

struct PatternPart {
  std::uint32_t first = 0, length = 1, turns = 1;  // calls of the list the pattern was found in
  std::vector<Ways> ways{};                        // of a loop: by call of the body
  bool optional = false;                           // ranks may leave out calls of a turn (optional_calls.hpp)
  bool loop() const { return turns > 1; }
  std::uint32_t calls() const { return length * turns; }
  // 2: twice as far or as many in each turn, or half; 3, 4, 8: as in a tree of so many; 0: neither.
  int tree() const;
};

using CallPattern = std::vector<PatternPart>;

// One call, as part of the pattern.
struct PatternPlace {
  std::uint32_t part = 0, call = 0;  // of the body
  int turn = 0;  // of an optional part: counted from anywhere, the same for all ranks of a run
};

// Loops of `calls`, those of a run with so many ranks; none inside of another.
CallPattern find_pattern(const std::vector<DescribedCall>& calls, int ranks, const Alignment& alignment);

// The way in which `calls`, of a run with so many ranks, are most like the pattern; parts may be left out,
// calls may not: nothing, then. `pattern_calls`: where the pattern was found. `work`: looks at pairs of calls
// so far.
std::optional<std::vector<PatternPlace>> follow(const CallPattern& pattern,
                                                const std::vector<DescribedCall>& pattern_calls,
                                                const std::vector<DescribedCall>& calls, int ranks,
                                                const Alignment& alignment, std::size_t& work);

}  // namespace waitdiag
