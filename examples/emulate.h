/* Emulated computation, so that the examples' waits are known by arithmetic on any machine.
 *
 * emulate_ms(d) returns when the caller's own schedule says so: deadline += d. It sleeps by default: 4 ranks
 * then run in parallel on 2 cores, and a rank that wakes up late catches up in its next call instead of being
 * late for ever. With --busy it computes until the deadline, as real programs do; then there must be a core
 * for every rank.
 *
 * Sleeping stands for computing here, so the recorder is asked not to distinguish the two (unless the
 * environment says otherwise).
 *
 *   options of every example: [--steps N] [--unit MS] [--busy] [--fixed]
 *
 * --fixed: the function that the example's header blames takes no longer on the late ranks than on the first.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef WAITPROF_EXAMPLES_EMULATE_H
#define WAITPROF_EXAMPLES_EMULATE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

struct options {
  int steps;      /* time steps */
  double unit_ms; /* the example's unit of time */
  int busy;       /* compute instead of sleeping */
  int fixed;      /* without the first cause of waiting */
};

static struct options options = {10, 10.0, 0, 0};

static inline void read_options(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--busy") == 0) {
      options.busy = 1;
    } else if (strcmp(argv[i], "--fixed") == 0) {
      options.fixed = 1;
    } else if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
      options.steps = atoi(argv[++i]);
    } else if (strcmp(argv[i], "--unit") == 0 && i + 1 < argc) {
      options.unit_ms = atof(argv[++i]);
    } else {
      fprintf(stderr, "usage: %s [--steps N] [--unit MS] [--busy] [--fixed]\n", argv[0]);
      exit(2);
    }
  }
}

/* Before MPI_Init, where the recorder reads its settings. */
__attribute__((constructor)) static void take_sleeping_for_computing(void) {
  setenv("WAITPROF_OFF_PROCESSOR", "off", 0);
}

static inline double clock_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* The time belongs to the function that calls this, even for debuggers ("artificial"). */
static inline __attribute__((always_inline, artificial)) void emulate_ms(double duration_ms) {
  /* If it is later than this, the rank did not just wake up late: it waited for another rank, and its
   * schedule starts again. */
  const double catch_up_ms = 0.5 * options.unit_ms;
  static double deadline_ms = 0.0;
  const double start_ms = clock_ms();
  deadline_ms = (start_ms - deadline_ms < catch_up_ms ? deadline_ms : start_ms) + duration_ms;
  if (options.busy) {
    volatile double x = 1.0;
    while (clock_ms() < deadline_ms)
      for (int i = 0; i < 10000; ++i) x = x * 0.999999 + 1e-6;
    return;
  }
  const struct timespec deadline = {(time_t)(deadline_ms / 1e3),
                                    (long)(1e6 * (deadline_ms - 1e3 * (double)(time_t)(deadline_ms / 1e3)))};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) != 0) continue;
}

#endif
