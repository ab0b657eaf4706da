// What locations should lose, of all causes. There are several for
// each wait, so they are kept small.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

#include "analyzer/diagnosis/retiming/occurrences.hpp"

namespace waitdiag {

// Of one location.
class Losses {
 public:
  void add(std::uint32_t cause, const Loss& loss) {
    // Of two that say how much at least, the larger one is enough.
    if (!kept_.empty()) {
      Kept& before = kept_.back();
      const Loss other = before.loss();
      if (before.cause == cause && other.first == loss.first && other.last == loss.last) {
        if (loss.nanoseconds > other.nanoseconds) before = Kept(cause, loss);
        return;
      }
    }
    kept_.emplace_back(cause, loss);
  }

  // visit(number of the cause, loss): the shortest stretches first, because they say best where time is lost.
  template <typename Visit>
  void for_each_shortest_first(Visit visit) const {
    for (const std::uint32_t i : shortest_first()) visit(kept_[i].cause, kept_[i].loss());
  }

 private:
  struct Kept {
    Kept(std::uint32_t of, const Loss& loss)
        : cause(of),
          first(loss.first),
          last(loss.last),
          nanoseconds(std::bit_cast<std::array<std::uint32_t, 2>>(loss.nanoseconds)) {}
    Loss loss() const { return {first, last, std::bit_cast<double>(nanoseconds)}; }

    std::uint32_t cause;
    Place first, last;
    std::array<std::uint32_t, 2> nanoseconds;
  };
  // Those of one length in their order: dealt out by each byte of it, the lowest first.
  std::vector<std::uint32_t> shortest_first() const {
    const auto length = [&](std::uint32_t i) { return kept_[i].last - kept_[i].first; };
    std::vector<std::uint32_t> order(kept_.size()), dealt(kept_.size());
    std::iota(order.begin(), order.end(), 0);
    Place longest = 0;
    for (const std::uint32_t i : order) longest = std::max(longest, length(i));
    constexpr int kByte = 8;
    for (int shift = 0; shift < 32 && longest >> shift > 0; shift += kByte) {
      std::array<std::uint32_t, (1 << kByte) + 1> begins{};
      const auto byte = [&](std::uint32_t i) { return length(i) >> shift & 0xffu; };
      for (const std::uint32_t i : order) ++begins[byte(i) + 1];
      std::partial_sum(begins.begin(), begins.end(), begins.begin());
      for (const std::uint32_t i : order) dealt[begins[byte(i)]++] = i;
      order.swap(dealt);
    }
    return order;
  }

  std::deque<Kept> kept_;
};

}  // namespace waitdiag
