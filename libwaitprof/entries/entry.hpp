// The functions that a program calls: each goes on to where its way leads. That is into our wrapper, or,
// where the program turns out to use an MPI that we cannot record, past us (ways.cpp). A wrapper could not
// pass such a call on: it has MPICH's types, and would cut handles of another size.
//
//   WAITPROF_ENTRY(MPI_Send, 17)   the exported MPI_Send; entered_MPI_Send is the wrapper, 17 its place in
//                                  WAITPROF_ENTRIES
//
// Nothing is touched on the way: no argument, no frame, not the return address. Elsewhere than on x86-64 the
// entry is the wrapper.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__x86_64__)
#define WAITPROF_ENTRY(name, number)          \
  __asm__(                                    \
      ".pushsection .text\n"                  \
      ".p2align 4\n"                          \
      ".globl " #name                         \
      "\n"                                    \
      ".type " #name ", @function\n" #name    \
      ":\n"                                   \
      ".cfi_startproc\n"                      \
      "  movl $" #number                      \
      ", %r11d\n"                             \
      "  jmp *waitprof_entry_ways+8*" #number \
      "(%rip)\n"                              \
      ".cfi_endproc\n"                        \
      ".size " #name ", . - " #name           \
      "\n"                                    \
      ".popsection\n");
#else
#define WAITPROF_ENTRY(name, number) \
  extern "C" WAITPROF_EXPORT decltype(entered_##name) name __attribute__((alias("entered_" #name)));
#endif
