// Where the entries lead, decided by the first call of any of them: by then the program has loaded its MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#if defined(__x86_64__)

#include <dlfcn.h>

#include <cstddef>
#include <iterator>

#include "libwaitprof/generated/entries.hpp"
#include "libwaitprof/mpi/real_mpi.hpp"
#include "libwaitprof/surroundings/other_mpi.hpp"

extern "C" {

using Way = void (*)();

#define WAITPROF_DECLARE(name, recorded) void entered_##name() __attribute__((visibility("hidden")));
WAITPROF_ENTRIES(WAITPROF_DECLARE)

void waitprof_entry_undecided() __attribute__((visibility("hidden")));

#define WAITPROF_UNDECIDED(name, recorded) waitprof_entry_undecided,
constinit Way waitprof_entry_ways[]
    __attribute__((visibility("hidden"))) = {WAITPROF_ENTRIES(WAITPROF_UNDECIDED)};

__attribute__((visibility("hidden"))) void waitprof_decide_ways() noexcept;
}

// An entry comes here with its number in r11, and all that its caller gave it in place.
__asm__(R"(
  .pushsection .text
  .p2align 4
  .type waitprof_entry_undecided, @function
waitprof_entry_undecided:
  .cfi_startproc
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  push %rdx
  .cfi_adjust_cfa_offset 8
  push %rcx
  .cfi_adjust_cfa_offset 8
  push %r8
  .cfi_adjust_cfa_offset 8
  push %r9
  .cfi_adjust_cfa_offset 8
  push %r11
  .cfi_adjust_cfa_offset 8
  call waitprof_decide_ways
  pop %r11
  .cfi_adjust_cfa_offset -8
  pop %r9
  .cfi_adjust_cfa_offset -8
  pop %r8
  .cfi_adjust_cfa_offset -8
  pop %rcx
  .cfi_adjust_cfa_offset -8
  pop %rdx
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  lea waitprof_entry_ways(%rip), %rax
  jmp *(%rax,%r11,8)
  .cfi_endproc
  .size waitprof_entry_undecided, . - waitprof_entry_undecided
  .popsection
)");

namespace {

struct Entry {
  const char* name;
  Way wrapper;
  bool recorded;
};

#define WAITPROF_ROW(name, recorded) {#name, entered_##name, recorded},
constexpr Entry kEntries[] = {WAITPROF_ENTRIES(WAITPROF_ROW)};

// Where calls need not be seen; nullptr: in the wrapper.
Way way_past_us(const Entry& entry, void* open_mpi) noexcept {
  if (open_mpi != nullptr) {
    return reinterpret_cast<Way>(dlsym(open_mpi, entry.name));
  }
  return entry.recorded ? nullptr : reinterpret_cast<Way>(waitprof::pmpi::find_next_function(entry.name));
}

}  // namespace

// By several threads at once, all decide alike.
void waitprof_decide_ways() noexcept {
  void* const open_mpi = waitprof::loaded_open_mpi();
  if (open_mpi != nullptr) {
    waitprof::say_that_open_mpi_is_left_alone();
  }
  for (std::size_t i = 0; i < std::size(kEntries); ++i) {
    const Way past_us = way_past_us(kEntries[i], open_mpi);
    __atomic_store_n(&waitprof_entry_ways[i], past_us != nullptr ? past_us : kEntries[i].wrapper,
                     __ATOMIC_RELAXED);
  }
}

#endif
