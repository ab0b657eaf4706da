/* A ring of ranks, of which rank 1 computes five times as long in assemble(): many_steps STEPS
 * MICROSECONDS HOW. HOW: "step" marks time steps, "sum" ends each one with an Allreduce without marks,
 * "ring" does neither, "both" does both; "slow" is "both" with twenty times, "kill" is "both", and rank 1
 * kills itself after the last step; "late" is "step", and rank 1 kills itself before it marks the last step.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libwaitprof/include/waitprof.h"

static __attribute__((noinline)) void assemble(long microseconds) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += microseconds * 1000;
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0) {
  }
  __asm__ volatile(""); /* its frame stays */
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int steps = atoi(argv[1]);
  const long microseconds = atol(argv[2]);
  const int late = strcmp(argv[3], "late") == 0, kill_self = strcmp(argv[3], "kill") == 0,
            slow = strcmp(argv[3], "slow") == 0;
  const int both = kill_self || slow || strcmp(argv[3], "both") == 0;
  const int marks = both || late || strcmp(argv[3], "step") == 0, sums = both || strcmp(argv[3], "sum") == 0;
  double mine[4] = {1, 2, 3, 4}, other[4], sum = 0;
  for (int step = 0; step < steps; ++step) {
    if (late && rank == 1 && step == steps - 1) {
      assemble(200000);
      raise(SIGKILL);
    }
    if (marks) waitprof_step();
    assemble(rank == 1 ? (slow ? 20 : 5) * microseconds : microseconds);
    MPI_Request requests[2];
    MPI_Irecv(other, 4, MPI_DOUBLE, (rank + ranks - 1) % ranks, step % 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(mine, 4, MPI_DOUBLE, (rank + 1) % ranks, step % 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (sums) MPI_Allreduce(mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (kill_self) {
    if (rank == 1) {
      assemble(200000);
      raise(SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
