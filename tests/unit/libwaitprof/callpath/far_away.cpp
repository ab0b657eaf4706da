// A shared object that calls back into the program, as a numerical library does.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/libwaitprof/callpath/call_trees.hpp"

static __attribute__((noinline)) void hidden_inside(void (*back)(waitprof::test::Chain&),
                                                    waitprof::test::Chain& chain) {
  back(chain);
  asm volatile("");
}

void call_back_from_far_away(void (*back)(waitprof::test::Chain&), waitprof::test::Chain& chain) {
  hidden_inside(back, chain);
  asm volatile("");
}
