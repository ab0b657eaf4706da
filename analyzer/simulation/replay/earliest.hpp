// The earliest of many times that change all the time: a tree of minima, where a change only affects the
// nodes above it. The standard library's heap cannot change its entries; Boost's can, but needs a separate
// node for each.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace waitdiag {

class Earliest {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;

  std::int64_t time() const { return tree_[1]; }
  // The entry with the earliest time; if there are several, the one with the lowest number.
  std::size_t number() const {
    std::size_t node = 1;
    while (node < places_) node = 2 * node + (tree_[2 * node] != tree_[node] ? 1 : 0);
    return node - places_;
  }
  void set(std::size_t number, std::int64_t time) {
    if (number >= places_) grow(number);
    std::size_t node = places_ + number;
    tree_[node] = time;
    for (node /= 2; node > 0; node /= 2) {
      const std::int64_t earlier = std::min(tree_[2 * node], tree_[2 * node + 1]);
      if (tree_[node] == earlier) return;
      tree_[node] = earlier;
    }
  }

 private:
  void grow(std::size_t number) {
    const std::vector<std::int64_t> old(tree_.begin() + static_cast<std::ptrdiff_t>(places_), tree_.end());
    while (places_ <= number) places_ *= 2;
    tree_.assign(2 * places_, kNever);
    std::copy(old.begin(), old.end(), tree_.begin() + static_cast<std::ptrdiff_t>(places_));
    for (std::size_t node = places_ - 1; node > 0; --node)
      tree_[node] = std::min(tree_[2 * node], tree_[2 * node + 1]);
  }

  std::size_t places_ = 2;  // a power of two
  std::vector<std::int64_t> tree_{kNever, kNever, kNever, kNever};
};

}  // namespace waitdiag
