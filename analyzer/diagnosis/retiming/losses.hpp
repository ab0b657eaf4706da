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
  void for_each_shortest_first(Visit visit) {
    std::stable_sort(kept_.begin(), kept_.end(),
                     [](const Kept& a, const Kept& b) { return a.last - a.first < b.last - b.first; });
    for (const Kept& kept : kept_) visit(kept.cause, kept.loss());
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
  std::deque<Kept> kept_;
};

}  // namespace waitdiag
