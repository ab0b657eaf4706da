// Calls before which a program computes alike: those at one place of the program. Of a loop that grows, the first pass is a
// group of its own: what comes before it lies outside of the loop. Ranks may enter such a loop later than others. Where a rank
// leaves out calls of some turns, those that come after different calls are different groups.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"
#include "analyzer/scaling/rank_laws/presence.hpp"

namespace waitdiag {

// OfRank: whatever a rank that enters later does before that lies outside of the loop, too.
enum class FirstPass : std::uint8_t { OfLoop, OfRank };

class CallGroups {
 public:
  CallGroups(const Study& study, const std::vector<Presence>& presence, FirstPass first);

  std::size_t size() const { return like_.size(); }
  // The group of CallSequence that it is, or a part of.
  std::uint32_t like(std::size_t group) const { return like_[group]; }
  // Of an operation of a recorded run, which may be the number of its operations: what follows the last one.
  std::uint32_t of_run(std::size_t run, std::size_t rank, std::uint32_t op) const;
  bool later_turn(std::size_t run, std::size_t rank, std::uint32_t op) const;  // not the first pass
  // The same of the target; `call` may be the number of its calls.
  std::uint32_t in_target(std::uint32_t call, int rank) const;
  // Of the first pass.
  std::uint32_t at(std::uint32_t place) const { return group(place, false); }
  bool entered_later() const { return entered_later_; }  // by some rank of a run

 private:
  using FirstTurns = std::vector<std::vector<int>>;  // by rank and growing loop
  void note(FirstTurns& first, std::size_t rank, std::uint32_t place, int turn) const;
  std::uint32_t group(std::uint32_t place, bool later) const;
  void tell_apart();
  std::uint32_t part_of(std::uint32_t group, std::uint32_t before) const;
  std::uint32_t before_in_run(std::size_t run, std::size_t rank, std::uint32_t op) const;
  std::uint32_t before_in_target(std::uint32_t call, std::size_t rank) const;

  const Study& study_;
  const std::vector<Presence>& presence_;
  std::vector<std::uint32_t> like_;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> parts_;  // by group and the one before
  std::vector<FirstTurns> of_run_;
  FirstTurns in_target_;
  bool entered_later_ = false;
};

}  // namespace waitdiag
