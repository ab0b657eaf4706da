// Whom calls would wait for if they were entered earlier has been looked at before, mostly: waits that follow
// each other ask for much the same. A table of fixed size remembers what is settled; where it has no place for
// a call, that call is looked at again, with the same result.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/diagnosis/retiming/asked_members.hpp"
#include "analyzer/diagnosis/retiming/dependencies.hpp"
#include "analyzer/diagnosis/retiming/prefix_operations.hpp"

namespace waitdiag {

// That a call came so much earlier, and nobody it waited for was left out but who came behind `last`
// (Time::max(): nobody did), or is `but`.
struct AskedCall {
  Dependencies::Node call = ~Dependencies::Node{0};
  Location but{kNoOp};
  Duration earlier{};
  Time last{};
};

class AskedCalls {
 public:
  AskedCalls() : calls_(kPlaces) {}

  void clear() { std::ranges::fill(calls_, AskedCall{}); }

  // Is nothing more to be found than before?
  bool is_settled(const AskedCall& ask) const {
    const AskedCall& before = calls_[place(ask.call)];
    return before.call == ask.call && ask.earlier <= before.earlier && ask.last <= before.last &&
           (before.but == Location{kNoOp} || before.but == ask.but);
  }
  // `but`: kNoOp if that one was not met.
  void settle(const AskedCall& ask) { calls_[place(ask.call)] = ask; }

 private:
  // Rows of calls lie side by side, because they are asked for one after the other.
  static constexpr std::uint32_t kRowBits = 5, kRowsBits = 9, kRow = 1 << kRowBits;
  static constexpr std::size_t kPlaces = std::size_t{1} << (kRowBits + kRowsBits);
  static std::size_t place(Dependencies::Node call) {
    return (call / kRow * 2654435761u >> (32 - kRowsBits)) * kRow + call % kRow;
  }

  std::vector<AskedCall> calls_;
};

// All that has been asked for.
struct Asked {
  // By how much whoever asked came earlier: of shorter stretches, by location and how often a cause ran up to their
  // end; of members of joins.
  std::unordered_map<std::uint64_t, Duration> stretches{};
  std::unordered_map<Dependencies::Node, Duration> joins{};
  std::unordered_map<Dependencies::Node, AskedMembers> members{};
  AskedCalls calls{};
  PrefixOperations prefixes{};

  void clear() {
    stretches.clear();
    joins.clear();
    members.clear();
    calls.clear();
    prefixes.clear();
  }
};

}  // namespace waitdiag
