// A table that gives equal entries equal ids: 1, 2, 3 ... in order of first use, never changed, never
// removed. Any thread and any signal handler may add and look up at any time: there is no lock, and memory is
// reserved once by mmap and used page by page. An entry is visible to others only when it is complete.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "libwaitprof/memory/memory.hpp"

namespace waitprof {

template <typename Entry>
class IdTable {
 public:
  // `capacity`: the most entries it can hold, a power of two. Reserves address space only.
  constexpr explicit IdTable(std::uint32_t capacity) noexcept
      : capacity_(capacity), slot_mask_(2 * capacity - 1) {}

  // Maps the memory unless that has been done; false: the system has none.
  bool ready() noexcept { return memory_.load(std::memory_order_acquire) != nullptr || map(); }

  // The id of the entry with this hash for which equals(entry) holds; 0: none. Needs ready().
  template <typename Equals>
  std::uint32_t find(std::uint64_t hash, const Equals& equals) const noexcept {
    for (std::uint32_t slot = first_slot(hash);; slot = (slot + 1) & slot_mask_) {
      const std::uint32_t id = slots()[slot].load(std::memory_order_acquire);
      if (id == 0 || equals((*this)[id])) return id;
    }
  }

  // The same, adding the entry when there is none, and then added(id); 0: the table is full. Needs ready().
  template <typename Equals, typename Added>
  std::uint32_t find_or_add(std::uint64_t hash, const Entry& entry, const Equals& equals,
                            const Added& added_now) noexcept {
    std::uint32_t added = 0;
    for (std::uint32_t slot = first_slot(hash);;) {
      std::uint32_t id = slots()[slot].load(std::memory_order_acquire);
      if (id == 0) {
        if (added == 0 && (added = claim(entry)) == 0) return 0;
        if (slots()[slot].compare_exchange_strong(id, added, std::memory_order_acq_rel)) {
          added_now(added);
          return added;
        }
      }
      if (equals((*this)[id])) {
        if (added != 0) give_back(added);
        return id;
      }
      slot = (slot + 1) & slot_mask_;
    }
  }

  template <typename Equals>
  std::uint32_t find_or_add(std::uint64_t hash, const Entry& entry, const Equals& equals) noexcept {
    return find_or_add(hash, entry, equals, [](std::uint32_t) {});
  }

  const Entry& operator[](std::uint32_t id) const noexcept { return entries()[id]; }

  // Ids in use are 1..count(). After a race of two threads for the same entry a few of them may be unused
  // duplicates.
  std::uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  using Slot = std::atomic<std::uint32_t>;

  std::size_t slots_bytes() const noexcept { return (std::size_t{slot_mask_} + 1) * sizeof(Slot); }
  std::size_t bytes() const noexcept { return slots_bytes() + (std::size_t{capacity_} + 1) * sizeof(Entry); }
  Slot* slots() const noexcept { return static_cast<Slot*>(memory_.load(std::memory_order_relaxed)); }
  Entry* entries() const noexcept {
    return reinterpret_cast<Entry*>(static_cast<char*>(memory_.load(std::memory_order_relaxed)) +
                                    slots_bytes());
  }
  std::uint32_t first_slot(std::uint64_t hash) const noexcept {
    return static_cast<std::uint32_t>((hash * 0x9e3779b97f4a7c15U) >> 32) & slot_mask_;
  }

  bool map() noexcept {
    void* const fresh = map_pages(bytes());
    if (fresh == nullptr) return false;
    void* nobody = nullptr;
    if (!memory_.compare_exchange_strong(nobody, fresh, std::memory_order_acq_rel))
      unmap_pages(fresh, bytes());
    return true;
  }

  std::uint32_t claim(const Entry& entry) noexcept {
    std::uint32_t count = count_.load(std::memory_order_relaxed);
    do {
      if (count == capacity_) return 0;
    } while (!count_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel));
    entries()[count + 1] = entry;
    return count + 1;
  }

  // Another thread added the same entry first: the id is free again unless a further one was claimed
  // meanwhile.
  void give_back(std::uint32_t id) noexcept {
    count_.compare_exchange_strong(id, id - 1, std::memory_order_acq_rel);
  }

  const std::uint32_t capacity_;
  const std::uint32_t slot_mask_;
  std::atomic<void*> memory_{nullptr};
  std::atomic<std::uint32_t> count_{0};
};

}  // namespace waitprof
