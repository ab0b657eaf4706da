// Computing for as long as a program plans: by the thread's own processor time, so that on a crowded machine it takes longer,
// but is as late as planned. Inlined: samples lie in the function that computes.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef WAITPROF_TESTS_MPI_PROCESSOR_TIME_H
#define WAITPROF_TESTS_MPI_PROCESSOR_TIME_H

#include <ctime>

__attribute__((always_inline)) inline void use_processor(double seconds) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const double end = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) + seconds;
  volatile double x = 1;
  do {
    for (int i = 0; i < 2000; ++i) x = x * 1.0000001;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) < end);
}

#endif
