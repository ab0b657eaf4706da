// The functions that a program calls: each jumps to its entry in the table of ways (ways.cpp), which is the
// wrapper of a backend or MPI's own function.
//
//   WAITPROF_ENTRY(MPI_Send, 17)   the exported MPI_Send, number 17 of WAITPROF_ENTRIES
//
// Nothing is touched on the way: no argument, no frame, not the return address. No types are known, since
// MPIs differ in the sizes of theirs. The number is in a register that calls may overwrite.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#define WAITPROF_ENTRY_BEGIN(name) \
  ".pushsection .text\n"           \
  ".p2align 4\n"                   \
  ".globl " #name                  \
  "\n"                             \
  ".type " #name ", %function\n" #name ":\n.cfi_startproc\n"
#define WAITPROF_ENTRY_END(name) \
  ".cfi_endproc\n"               \
  ".size " #name ", . - " #name  \
  "\n"                           \
  ".popsection\n"

#if defined(__x86_64__)
#define WAITPROF_ENTRY(name, number)                                         \
  __asm__(WAITPROF_ENTRY_BEGIN(name) "  movl $" #number                      \
                                     ", %r11d\n"                             \
                                     "  jmp *waitprof_entry_ways+8*" #number \
                                     "(%rip)\n" WAITPROF_ENTRY_END(name));
#elif defined(__aarch64__)
#define WAITPROF_ENTRY(name, number)                                                         \
  __asm__(WAITPROF_ENTRY_BEGIN(name) "  mov w17, #" #number                                  \
                                     "\n"                                                    \
                                     "  adrp x16, waitprof_entry_ways+8*" #number            \
                                     "\n"                                                    \
                                     "  ldr x16, [x16, :lo12:waitprof_entry_ways+8*" #number \
                                     "]\n"                                                   \
                                     "  br x16\n" WAITPROF_ENTRY_END(name));
#else
#error "entries/entry.hpp: say how a function goes on to an address in a table on this processor"
#endif
