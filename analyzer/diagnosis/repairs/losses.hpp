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

#include "analyzer/diagnosis/repairs/occurrences.hpp"

namespace waitdiag {

// Of one location.
class Losses {
 public:
  void add(std::uint32_t cause, const Loss& loss) {
    // Of two that say how much at least, the larger one is enough.
    if (!blocks_.empty()) {
      Kept& before = blocks_.back().back();
      const Loss other = before.loss();
      if (before.cause == cause && other.first == loss.first && other.last == loss.last) {
        if (loss.nanoseconds > other.nanoseconds) before = Kept(cause, loss);
        return;
      }
    }
    if (blocks_.empty() || blocks_.back().size() == kOfBlock) blocks_.emplace_back();
    blocks_.back().emplace_back(cause, loss);
  }

  // visit(number of the cause, loss): the shortest stretches first, because they say best where time is lost.
  template <typename Visit>
  void for_each_shortest_first(Visit visit) const {
    for (const Ordered& one : shortest_first()) {
      const Kept& kept = blocks_[one.place / kOfBlock][one.place % kOfBlock];
      visit(kept.cause, kept.loss());
    }
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
  struct Ordered {
    Place length = 0;
    std::uint32_t place = 0;  // among all that are kept
  };
  // Those of one length in their order: dealt out by each byte of it, the lowest first.
  std::vector<Ordered> shortest_first() const {
    std::vector<Ordered> order;
    order.reserve(blocks_.size() * kOfBlock);
    Place longest = 0;
    for (const std::vector<Kept>& block : blocks_)
      for (const Kept& kept : block) {
        order.push_back({kept.last - kept.first, static_cast<std::uint32_t>(order.size())});
        longest = std::max(longest, order.back().length);
      }
    std::vector<Ordered> dealt(order.size());
    constexpr int kByte = 8;
    for (int shift = 0; shift < 32 && longest >> shift > 0; shift += kByte) {
      std::array<std::uint32_t, (1 << kByte) + 1> begins{};
      const auto byte = [&](const Ordered& one) { return one.length >> shift & 0xffu; };
      for (const Ordered& one : order) ++begins[byte(one) + 1];
      std::partial_sum(begins.begin(), begins.end(), begins.begin());
      for (const Ordered& one : order) dealt[begins[byte(one)]++] = one;
      order.swap(dealt);
    }
    return order;
  }

  // Full blocks are large enough to lie in the scratch file where memory is limited (trace/memory): those of a deque are not.
  static constexpr std::size_t kOfBlock = 4096;
  std::vector<std::vector<Kept>> blocks_;
};

// What was found piece by piece, to the losses by location.
inline void deal_out(std::vector<std::deque<LossAt>>& found, std::vector<Losses>& losses) {
  for (std::deque<LossAt>& piece : found) {
    for (const LossAt& at : piece) losses[index(at.location)].add(at.cause, at.loss);
    piece = {};
  }
}

}  // namespace waitdiag
