// Where the entries lead is decided by the first call of any of them: by then the program has loaded its MPI,
// whose backend says which calls are recorded. All others lead straight to MPI, each from its own first call
//on.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/entries/ways.hpp"

#include <cstdlib>
#include <iterator>

#include "libwaitprof/entries/load_backend.hpp"
#include "libwaitprof/generated/entries.hpp"
#include "libwaitprof/surroundings/front.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace {

#define WAITPROF_NAME(name, number) #name,
constexpr const char* kEntries[] = {WAITPROF_ENTRIES(WAITPROF_NAME)};

void lead_to(std::size_t number, Way way) noexcept {
  __atomic_store_n(&waitprof_entry_ways[number], way, __ATOMIC_RELAXED);
}

void* past_us(const char* name) noexcept {
  return name[0] == 'P' ? waitprof_real_function(name + 1) : waitprof_next_function(name);
}

}  // namespace

// Several threads may do this at once: all come to the same result.
void waitprof_decide_way(std::uint32_t number) noexcept {
  const waitprof::Backend* const backend = waitprof::backend_of_mpi(std::size(kEntries));
  for (std::size_t i = 0; backend != nullptr && i < std::size(kEntries); ++i) {
    if (backend->wrappers[i] != nullptr) {
      lead_to(i, backend->wrappers[i]);
    }
  }
  if (backend != nullptr && backend->wrappers[number] != nullptr) {
    return;
  }
  void* const way = past_us(kEntries[number]);
  if (way == nullptr) {
    waitprof::say(
        "%s was called, but this process has no MPI library that has it: cannot go on. Unset LD_PRELOAD for "
        "it.",
        kEntries[number]);
    std::abort();
  }
  lead_to(number, reinterpret_cast<Way>(way));
}
