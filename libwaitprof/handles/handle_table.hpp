// MPI handles, and what is known about each: entries are made once and never move, handles come and go.
// Programs may create and free handles without end, but tables are bounded. Readers of entries take no lock;
// adding, finding and forgetting is for holders of the TableLock.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "libwaitprof/handles/handle_map.hpp"
#include "libwaitprof/memory/memory.hpp"

namespace waitprof {

inline constexpr std::uint32_t kMostHandles = 1U << 15;  // in one table, including freed ones

template <class Entry>
class HandleTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffff;  // recorded in 24 bits

  std::uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  Entry& operator[](std::uint32_t id) const noexcept { return chunks_[id / kPerChunk][id % kPerChunk]; }

  std::uint32_t find(std::uint64_t handle) noexcept {
    const std::uint32_t* id = ids_.find(handle);
    return id != nullptr ? *id : kNone;
  }

  // The new entry's id, or kNone: too many or no memory. `fill(id, entry)` sets the entry before others see
  // it.
  template <class Fill>
  std::uint32_t add(std::uint64_t handle, Fill fill) noexcept {
    const std::uint32_t id = count_.load(std::memory_order_relaxed);
    if (id >= kMostHandles) {
      return kNone;
    }
    Entry*& chunk = chunks_[id / kPerChunk];
    if (chunk == nullptr) {
      chunk = allocate_array_forever<Entry>(kPerChunk);
    }
    if (chunk == nullptr || ids_.add(handle, id) == nullptr) {
      return kNone;
    }
    fill(id, chunk[id % kPerChunk]);
    count_.store(id + 1, std::memory_order_release);
    return id;
  }

  // An id whose handle was forgotten, for another handle; kNone: no memory.
  std::uint32_t add_again(std::uint64_t handle, std::uint32_t id) noexcept {
    return ids_.add(handle, id) != nullptr ? id : kNone;
  }

  void forget(std::uint64_t handle) noexcept {
    if (const std::uint32_t* id = ids_.find(handle); id != nullptr) {
      ids_.remove(handle, id);
    }
  }

 private:
  static constexpr std::uint32_t kPerChunk = 256;

  Entry* chunks_[kMostHandles / kPerChunk] = {};
  std::atomic<std::uint32_t> count_{0};
  HandleMap<std::uint32_t> ids_;
};

}  // namespace waitprof
