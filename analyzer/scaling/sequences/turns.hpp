// Loops whose number of turns depends on the size: one for each other rank, for each doubling of the ranks
// ...
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace waitdiag {

// One pass through such a loop; calls outside such loops count as the only turn of a loop.
struct Turn {
  int number = 0, of = 1;
  friend bool operator==(const Turn&, const Turn&) = default;
};

// How a figure changes from turn to turn: not at all, 1 2 3 ..., ... 3 2 1, 1 2 4 ..., ... 4 2 1. RisingAndFalling: as a
// product of the second and the third: little at first and at the end. HalvingAgain: 1, 2 1, 4 2 1 ...: a loop that halves
// in a loop that doubles. Threes: 1 2 3 6 9 18 ..., Fours: 1 2 3 4 8 12 16 ...: below the root of a tree that has so many
// ranks at its second level, so many times as many at the third ...
enum class Progress : std::uint8_t {
  Same,
  Counting,
  CountingDown,
  Doubling,
  Halving,
  RisingAndFalling,
  HalvingAgain,
  Threes,
  Fours,
  Eights
};
inline constexpr std::array kProgresses = {Progress::Same,     Progress::Doubling,     Progress::Halving,
                                           Progress::Counting, Progress::CountingDown, Progress::HalvingAgain,
                                           Progress::Threes,   Progress::Fours,        Progress::Eights};
// Of sizes and times.
inline constexpr std::array kProgressesOfAmounts = {Progress::Same,         Progress::Doubling,
                                                    Progress::Halving,      Progress::Counting,
                                                    Progress::CountingDown, Progress::RisingAndFalling};

// Trees that are taken level by level, with so many ranks in each group.
struct TreeOf {
  Progress progress = Progress::Same;
  int ranks = 2;
};
inline constexpr std::array kTrees = {TreeOf{Progress::Threes, 3}, TreeOf{Progress::Fours, 4},
                                      TreeOf{Progress::Eights, 8}};

// How far apart the ranks of a group are.
inline std::int64_t distance_in_tree(int of, int turn) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 40;
  std::int64_t distance = 1;
  for (int left = turn / (of - 1); left > 0 && distance < kFarthest; --left) distance *= of;
  return distance;
}

inline std::int64_t multiple_at(Progress progress, const Turn& turn) {
  const auto power = [](int exponent) {
    constexpr int kMostDoublings = 40;
    return std::int64_t{1} << std::clamp(exponent, 0, kMostDoublings);
  };
  switch (progress) {
    case Progress::Same:
      return 1;
    case Progress::Counting:
      return turn.number + 1;
    case Progress::CountingDown:
      return turn.of - turn.number;
    case Progress::Doubling:
      return power(turn.number);
    case Progress::Halving:
      return power(turn.of - 1 - turn.number);
    case Progress::HalvingAgain: {
      int round = 0, number = turn.number;  // of so many turns and one
      while (number > round) number -= ++round;
      return power(round - number);
    }
    case Progress::RisingAndFalling:
      return std::int64_t{turn.number + 1} * (turn.of - turn.number);
    case Progress::Threes:
    case Progress::Fours:
    case Progress::Eights:
      for (const TreeOf& tree : kTrees)
        if (tree.progress == progress)
          return (1 + turn.number % (tree.ranks - 1)) * distance_in_tree(tree.ranks, turn.number);
  }
  return 1;
}

// The turn, of `of`, in which the multiple is 1.
inline int first_multiple(Progress progress, int of) {
  return progress == Progress::Halving || progress == Progress::CountingDown ? of - 1 : 0;
}

// The unit from which the laws of a call are derived: the call in this run, in this turn of its loop.
struct Instance {
  std::size_t run = 0;
  Turn turn{};
};

}  // namespace waitdiag
