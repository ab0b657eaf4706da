// Memory of the recorder: straight from mmap, never malloc (the application may be inside it, or may replace
// it).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace waitprof {

// Fresh zeroed pages; nullptr if there are none.
void* map_pages(std::size_t bytes) noexcept;
void unmap_pages(void* pages, std::size_t bytes) noexcept;

// Zeroed memory that is never given back, aligned for anything: tables that only grow. nullptr if there is
// none.
void* allocate_forever(std::size_t bytes) noexcept;

template <class T>
T* allocate_array_forever(std::size_t count) noexcept {
  return static_cast<T*>(allocate_forever(count * sizeof(T)));
}

}  // namespace waitprof
