// Distinct arrays, each kept once and named by an id: 1, 2, 3 ... Programs use the same arrays again and
// again, and event records are small.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/memory/id_table.hpp"
#include "libwaitprof/memory/memory.hpp"

namespace waitprof {

template <typename Element>
class KeptArrays {
 public:
  using Array = std::span<const Element>;

  // `most_elements`: of all arrays together. `kind`: their kind in the journal; None: they are not
  // journalled.
  constexpr KeptArrays(std::size_t most_elements, RecordKind kind) noexcept
      : most_elements_(most_elements), kind_(kind) {}

  // Finds or makes the id; 0: no room. `hash_of` an element is any number that tells elements apart.
  template <typename HashOf>
  std::uint32_t id(Array array, HashOf hash_of) noexcept {
    if (!table_.ready()) {
      return 0;
    }
    std::uint64_t hash = array.size();
    for (const Element& element : array) {
      hash = (hash ^ hash_of(element)) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    const auto same = [array](Array other) { return std::ranges::equal(array, other); };
    if (const std::uint32_t known = table_.find(hash, same); known != 0) {
      return known;
    }
    if (elements_.fetch_add(array.size(), std::memory_order_relaxed) + array.size() > most_elements_) {
      return 0;
    }
    auto* kept = allocate_array_forever<Element>(std::max<std::size_t>(array.size(), 1));
    if (kept == nullptr) {
      return 0;
    }
    std::ranges::copy(array, kept);
    const std::uint32_t made = table_.find_or_add(hash, {kept, array.size()}, same);
    if (made != 0 && kind_ != RecordKind::None) {
      journal_array(kind_, made, array.size(), std::as_bytes(array));
    }
    return made;
  }

  std::uint32_t count() const noexcept { return table_.count(); }
  Array operator[](std::uint32_t id) const noexcept { return table_[id]; }

 private:
  IdTable<Array> table_{1U << 16};
  std::atomic<std::size_t> elements_{0};
  std::size_t most_elements_;
  RecordKind kind_;
};

}  // namespace waitprof
