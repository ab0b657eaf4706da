// Archive references -> our values: a plain vector where references are dense, as writers make them, and a
// map for the rest, so that a damaged reference cannot ask for gigabytes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace waitdiag {

template <typename Value>
class RefTable {
 public:
  void set(std::uint32_t ref, Value value) {
    if (ref < dense_.size() || ref < 2 * (dense_.size() + 64)) {
      if (ref >= dense_.size()) dense_.resize(ref + 1);
      dense_[ref] = std::move(value);
    } else {
      sparse_[ref] = std::move(value);
    }
  }

  const Value* find(std::uint32_t ref) const {
    if (ref < dense_.size() && dense_[ref]) return &*dense_[ref];
    if (sparse_.empty()) return nullptr;
    const auto found = sparse_.find(ref);
    return found == sparse_.end() ? nullptr : &found->second;
  }

 private:
  std::vector<std::optional<Value>> dense_;
  std::unordered_map<std::uint32_t, Value> sparse_;
};

}  // namespace waitdiag
