// Sums by a dense key, of which only a few are in use at a time: reading and adding cost one array access;
// clearing costs only the keys that were used.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace waitdiag {

template <typename Value>
class SparseSums {
 public:
  explicit SparseSums(std::size_t keys) : values_(keys), used_(keys, false) {}

  void add(std::size_t key, Value value) {
    if (!used_[key]) {
      used_[key] = true;
      keys_.push_back(static_cast<std::uint32_t>(key));
    }
    values_[key] += value;
  }
  Value operator[](std::size_t key) const { return values_[key]; }
  const std::vector<std::uint32_t>& keys() const { return keys_; }  // in order of first use
  void clear() {
    for (const std::uint32_t key : keys_) {
      values_[key] = Value{};
      used_[key] = false;
    }
    keys_.clear();
  }

 private:
  std::vector<Value> values_;
  std::vector<std::uint8_t> used_;
  std::vector<std::uint32_t> keys_;
};

}  // namespace waitdiag
