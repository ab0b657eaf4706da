// Where one call path ran on one location, and how much of that has been removed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/retiming/retime.hpp"

namespace waitdiag {

// Places of a location in time order: gap 0, call 0, gap 1, call 1 ... Many are kept; 32 bits are enough for
// 2^31 calls of one location, which would be a trace of a hundred gigabytes.
using Place = std::uint32_t;
constexpr Place place_of_gap(std::uint32_t op) {
  return op * 2;
}
constexpr Place place_of_call(std::uint32_t op) {
  return op * 2 + 1;
}

// Time that a location should lose between two places.
struct Loss {
  Place first = 0, last = 0;
  double nanoseconds = 0;
};
struct LossAt {
  Location location{};
  std::uint32_t cause = 0;  // its number among those to repair
  Loss loss{};
};

class Occurrences {
 public:
  void reserve(std::size_t occurrences);
  void add(Place place, double nanoseconds);  // in time order; more than none
  // No more will be added; `places`: a set of theirs, which must outlive this.
  void close(const RankedBits& places);

  // Sees to it that at least so much is taken away between its places, as far as there is so much: of the
  // longest, down to a common level; where there are many, of the latest.
  void take_away(const Loss& loss);
  void take_all();

  std::vector<Saving> savings() const;  // what was taken away

 private:
  struct Nanoseconds {
    double time = 0, taken = 0;
    double left() const { return time - taken; }
  };
  std::size_t first_at(Place place) const;
  double taken_before(std::size_t occurrence) const;
  std::size_t last_with_time(std::size_t end);
  void take(std::size_t occurrence, double part);
  void take_from_longest(std::size_t first, std::size_t end, double missing);
  void take_from_latest(std::size_t first, std::size_t end, double missing);

  const RankedBits* set_ = nullptr;
  std::vector<Place> places_;  // of the occurrences
  std::vector<Nanoseconds> times_;
  std::vector<double> taken_sums_;     // Fenwick tree over `taken`
  std::vector<std::uint32_t> before_;  // number + 1 -> number + 1 of the last one up to there with time left
};

}  // namespace waitdiag
