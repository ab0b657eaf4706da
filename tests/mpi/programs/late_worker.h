/* A solver in which rank 0 is late, 3 units against 1: the work is in late_work(), which the including
 * program defines. Each of the other ranks waits 2 units a step, 10 steps, at the Barrier.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef WAITPROF_TESTS_MPI_LATE_WORKER_H
#define WAITPROF_TESTS_MPI_LATE_WORKER_H

#include <mpi.h>

#include "examples/emulate.h"

double late_work(double duration_ms);

static inline int late_worker(int argc, char** argv) {
  int rank;
  double done = 0.0;
  MPI_Init(&argc, &argv);
  read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < options.steps; ++step) {
    done += late_work((rank == 0 ? 3.0 : 1.0) * options.unit_ms);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("late worker: %.1f\n", done);
  MPI_Finalize();
  return 0;
}

#endif
