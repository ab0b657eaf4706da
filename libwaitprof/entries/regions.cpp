// The functions behind waitprof.h, and the hooks that compilers call under -finstrument-functions (GCC,
// Clang, gfortran). Until MPI is called there is no backend; regions that are open by then are kept in the
// thread's stack of regions.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstring>

#include "libwaitprof/entries/load_backend.hpp"
#include "libwaitprof/include/waitprof.h"
#include "libwaitprof/regions/region_stack.hpp"
#include "libwaitprof/surroundings/front.hpp"

#define WAITPROF_ENTRY_POINT __attribute__((visibility("default"), no_instrument_function))

namespace waitprof {
namespace {

constinit std::atomic<std::uint64_t> ended_early{0};

OpenRegion region_of(const void* key, bool is_function) noexcept {
  constexpr std::uintptr_t kBits = (std::uintptr_t{1} << 62) - 1;
  return {.key = reinterpret_cast<std::uintptr_t>(key) & kBits, .is_function = is_function, .written = 0};
}

// The same name may be a literal at several addresses.
bool same_region(const OpenRegion& a, const OpenRegion& b) noexcept {
  return a.same(b) ||
         (a.is_function == 0 && b.is_function == 0 &&
          std::strcmp(reinterpret_cast<const char*>(a.key), reinterpret_cast<const char*>(b.key)) == 0);
}

void enter_early(OpenRegion region) noexcept {
  this_stack.early = true;
  this_stack.push(region);
}

void leave_early(OpenRegion region) noexcept {
  RegionStack& stack = this_stack;
  if (stack.deeper > 0) {
    --stack.deeper;
    return;
  }
  std::uint32_t place = stack.depth;
  while (place > 0 && !same_region(stack.open[place - 1], region)) --place;
  if (place == 0) return;
  while (stack.depth >= place) stack.pop();
  if (region.is_function == 0) ended_early.fetch_add(1, std::memory_order_relaxed);
}

// nullptr: it is too early.
const Backend* ready_backend() noexcept {
  const Backend* const backend = loaded_backend.load(std::memory_order_acquire);
  if (backend != nullptr && this_stack.early) {
    backend->adopt_regions();
  }
  return backend;
}

}  // namespace
}  // namespace waitprof

std::uint64_t waitprof_regions_before_mpi() noexcept {
  return waitprof::ended_early.load(std::memory_order_relaxed);
}

extern "C" {

WAITPROF_ENTRY_POINT void waitprof_enter_region(const char* name) {
  if (name == nullptr) return;
  const waitprof::Backend* const backend = waitprof::ready_backend();
  backend != nullptr ? backend->enter_region(name) : waitprof::enter_early(waitprof::region_of(name, false));
}

WAITPROF_ENTRY_POINT void waitprof_leave_region(const char* name) {
  if (name == nullptr) return;
  const waitprof::Backend* const backend = waitprof::ready_backend();
  backend != nullptr ? backend->leave_region(name) : waitprof::leave_early(waitprof::region_of(name, false));
}

// Every exported function of waitprof.h takes a name; that of a step is not recorded.
WAITPROF_ENTRY_POINT void waitprof_begin_step(const char* /*name*/) {
  if (const waitprof::Backend* const backend = waitprof::ready_backend(); backend != nullptr)
    backend->begin_step();
}

WAITPROF_ENTRY_POINT void __cyg_profile_func_enter(void* function, void* /*call_site*/) {
  const waitprof::Backend* const backend = waitprof::ready_backend();
  backend != nullptr ? backend->enter_function(reinterpret_cast<std::uintptr_t>(function))
                     : waitprof::enter_early(waitprof::region_of(function, true));
}

WAITPROF_ENTRY_POINT void __cyg_profile_func_exit(void* function, void* /*call_site*/) {
  const waitprof::Backend* const backend = waitprof::ready_backend();
  backend != nullptr ? backend->leave_function(reinterpret_cast<std::uintptr_t>(function))
                     : waitprof::leave_early(waitprof::region_of(function, true));
}

}  // extern "C"
