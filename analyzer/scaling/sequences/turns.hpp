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
// in a loop that doubles.
enum class Progress : std::uint8_t {
  Same,
  Counting,
  CountingDown,
  Doubling,
  Halving,
  RisingAndFalling,
  HalvingAgain
};
inline constexpr std::array kProgresses = {Progress::Same,         Progress::Doubling,
                                           Progress::Halving,      Progress::Counting,
                                           Progress::CountingDown, Progress::HalvingAgain};
// Of sizes and times.
inline constexpr std::array kProgressesOfAmounts = {Progress::Same,         Progress::Doubling,
                                                    Progress::Halving,      Progress::Counting,
                                                    Progress::CountingDown, Progress::RisingAndFalling};

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
