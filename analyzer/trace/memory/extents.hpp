// Which parts of something that grows are free. Takes its own memory from malloc: it is asked by operator new.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <set>
#include <unordered_map>
#include <utility>

namespace waitdiag {

template <typename T>
struct MallocAllocator {
  using value_type = T;
  MallocAllocator() = default;
  template <typename U>
  explicit MallocAllocator(const MallocAllocator<U>&) {}
  T* allocate(std::size_t count) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): some are pointers
    if (void* const block = std::malloc(count * sizeof(T))) return static_cast<T*>(block);
    throw std::bad_alloc();
  }
  void deallocate(T* block, std::size_t) { std::free(block); }
  friend bool operator==(const MallocAllocator&, const MallocAllocator&) { return true; }
};

class Extents {
 public:
  // The smallest free part that is large enough, or one behind all others.
  std::uint64_t take(std::uint64_t bytes);
  // What was taken there is free again: its size.
  std::uint64_t give_back(std::uint64_t place);

  std::uint64_t end() const { return end_; }  // behind all that was ever taken

 private:
  void add_free(std::uint64_t place, std::uint64_t bytes);
  void remove_free(std::uint64_t place, std::uint64_t bytes);

  template <typename Key, typename Value>
  using Pairs = MallocAllocator<std::pair<const Key, Value>>;
  using Place = std::uint64_t;
  using Size = std::uint64_t;

  Size end_ = 0;
  std::unordered_map<Place, Size, std::hash<Place>, std::equal_to<Place>, Pairs<Place, Size>> taken_;
  std::map<Place, Size, std::less<Place>, Pairs<Place, Size>> free_;
  std::set<std::pair<Size, Place>, std::less<std::pair<Size, Place>>, MallocAllocator<std::pair<Size, Place>>>
      by_size_;
};

}  // namespace waitdiag
