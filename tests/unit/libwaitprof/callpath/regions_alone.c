// A program with waitprof.h and without libwaitprof: it links, runs, and does its work.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>

#include "libwaitprof/include/waitprof.h"

static int work(int x) {
  WAITPROF_FUNCTION();
  waitprof_region_begin("inner");
  x *= 2;
  waitprof_region_end("inner");
  return x;
}

int main(void) {
  printf("%d\n", work(21));
  return 0;
}
