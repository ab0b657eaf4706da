// Loops that run as often as a size says: once for each other rank, for each doubling of the ranks ...
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace waitdiag {

// One time through such a loop; what is in no such loop is the only turn of one.
struct Turn {
  int number = 0, of = 1;
  friend bool operator==(const Turn&, const Turn&) = default;
};

// How a figure changes from turn to turn: not, 1 2 3 ..., ... 3 2 1, 1 2 4 ..., ... 4 2 1.
enum class Progress : std::uint8_t { Same, Counting, CountingDown, Doubling, Halving };
inline constexpr std::array kProgresses = {Progress::Same, Progress::Doubling, Progress::Halving,
                                           Progress::Counting, Progress::CountingDown};

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
  }
  return 1;
}

// The turn of so many in which the multiple is 1.
inline int first_multiple(Progress progress, int of) {
  return progress == Progress::Halving || progress == Progress::CountingDown ? of - 1 : 0;
}

// What the laws of a call are found from: it was made in this run, in this turn of its loop.
struct Instance {
  std::size_t run = 0;
  Turn turn{};
};

}  // namespace waitdiag
