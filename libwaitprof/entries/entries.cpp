// The table of ways, the entries, and where each leads before its first call.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/generated/entries.hpp"

#include "libwaitprof/entries/entry.hpp"
#include "libwaitprof/entries/ways.hpp"

extern "C" {

void waitprof_entry_undecided() __attribute__((visibility("hidden")));

#define WAITPROF_UNDECIDED(name, number) waitprof_entry_undecided,
constinit Way waitprof_entry_ways[]
    __attribute__((visibility("hidden"))) = {WAITPROF_ENTRIES(WAITPROF_UNDECIDED)};
}

WAITPROF_ENTRIES(WAITPROF_ENTRY)

// An entry jumps here with its number; all arguments of its caller are still in place.
#if defined(__x86_64__)
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
  mov %r11d, %edi
  call waitprof_decide_way
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
#elif defined(__aarch64__)
__asm__(R"(
  .pushsection .text
  .p2align 4
  .type waitprof_entry_undecided, %function
waitprof_entry_undecided:
  .cfi_startproc
  stp x29, x30, [sp, #-96]!
  .cfi_adjust_cfa_offset 96
  .cfi_rel_offset x29, 0
  .cfi_rel_offset x30, 8
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp x8, x17, [sp, #80]
  mov w0, w17
  bl waitprof_decide_way
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldp x8, x17, [sp, #80]
  ldp x29, x30, [sp], #96
  .cfi_adjust_cfa_offset -96
  .cfi_restore x29
  .cfi_restore x30
  adrp x16, waitprof_entry_ways
  add x16, x16, :lo12:waitprof_entry_ways
  ldr x16, [x16, x17, lsl #3]
  br x16
  .cfi_endproc
  .size waitprof_entry_undecided, . - waitprof_entry_undecided
  .popsection
)");
#endif
