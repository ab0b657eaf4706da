// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/memory/huge_pages.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>

namespace waitdiag {
namespace {

constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;

// Those that were asked for; one that is not remembered is asked for again. What is larger than some pages is mostly
// mapped by itself: its addresses may be mapped anew.
constexpr std::size_t kFewPages = 4;
std::array<std::atomic<std::uintptr_t>, 4096> asked_for{};

bool is_new(std::uintptr_t page) {
  return asked_for[page % asked_for.size()].exchange(page, std::memory_order_relaxed) != page;
}

}  // namespace

void ask_for_huge_pages(const void* block, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t first = begin / kHugePage, last = (begin + bytes - 1) / kHugePage;
  bool any = last - first >= kFewPages;
  for (std::uintptr_t page = first; !any && page <= last; ++page) any = is_new(page);
  if (!any) return;
  const int before = errno;
  // In vain where nothing is mapped beside it, or the system has none.
  ::madvise(reinterpret_cast<void*>(first * kHugePage), (last - first + 1) * kHugePage, MADV_HUGEPAGE);
  errno = before;
}

}  // namespace waitdiag
