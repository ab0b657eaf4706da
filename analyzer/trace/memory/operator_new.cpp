// operator new and delete for the whole program: large blocks may be parts of the scratch file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <new>

#include "analyzer/trace/memory/memory_limit.hpp"

namespace waitdiag {

void* operator_new(std::size_t bytes) {
  if (bytes >= kLargeBlock)
    if (void* const block = large_block(bytes)) return block;
  for (;;) {
    if (void* const block = std::malloc(bytes == 0 ? 1 : bytes)) {
      if (bytes >= kLargeBlock / 2) count_plain_block(block);  // it may be larger than it was asked to be
      return block;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace waitdiag

void* operator new(std::size_t bytes) {
  return waitdiag::operator_new(bytes);
}

// By itself it would call the above, but not where a sanitizer has one of its own.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return waitdiag::operator_new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* block) noexcept {
  if (!waitdiag::free_large_block(block)) std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept {
  operator delete(block);
}
