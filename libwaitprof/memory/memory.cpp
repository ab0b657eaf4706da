// A bump allocator over mapped chunks. Small pieces share a chunk, large ones get their own pages.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/memory/memory.hpp"

#include <sys/mman.h>

#include "libwaitprof/memory/lock.hpp"

namespace waitprof {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr std::size_t kAlignment = 16;

constinit SpinLock arena_lock;  // a separate lock: holders of the table lock take it, and so do new threads
std::byte* chunk_cursor = nullptr;
std::size_t chunk_left = 0;

}  // namespace

void* map_pages(std::size_t bytes) noexcept {
  void* pages =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

void unmap_pages(void* pages, std::size_t bytes) noexcept {
  munmap(pages, bytes);
}

void* allocate_forever(std::size_t bytes) noexcept {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > kChunk / 4) {
    return map_pages(bytes);
  }
  arena_lock.lock();
  if (bytes > chunk_left) {
    chunk_cursor = static_cast<std::byte*>(map_pages(kChunk));
    chunk_left = chunk_cursor != nullptr ? kChunk : 0;
  }
  void* piece = nullptr;
  if (bytes <= chunk_left) {
    piece = chunk_cursor;
    chunk_cursor += bytes;
    chunk_left -= bytes;
  }
  arena_lock.unlock();
  return piece;
}

}  // namespace waitprof
