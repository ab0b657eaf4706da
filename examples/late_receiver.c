/* Receivers that are late for large messages: 1 MiB does not fit MPI's buffers, so MPI_Send returns only when
 * the receiver has arrived (rendezvous). Ranks 0, 2, ... send to 1, 3, ...
 *
 *   units      0         1         2         3
 *   sender     [ compute ]~~~~~~ Send ~~~~~~~~]
 *   receiver   [======= post_process ========]Recv
 *
 * post_process takes 3 units, compute 1: every sender waits 2 units a step, 2 (N / 2) S units of Late
 * Receiver in S steps on N ranks.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "emulate.h"

enum { kElements = 1 << 17 };
static double block[kElements];

NOINLINE double compute(int step) {
  emulate_ms(1.0 * options.unit_ms);
  return step;
}

NOINLINE double post_process(double value) {
  emulate_ms((options.fixed ? 1.0 : 3.0) * options.unit_ms);
  return value;
}

int main(int argc, char** argv) {
  int rank, size;
  double sum = 0.0;
  MPI_Init(&argc, &argv);
  read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < options.steps; ++step) {
    if (rank % 2 == 1) {
      sum += post_process(block[0]);
      MPI_Recv(block, kElements, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank + 1 < size) {
      block[0] = compute(step);
      MPI_Send(block, kElements, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
    }
  }
  if (rank == 1) printf("late_receiver: %d steps on %d ranks, sum %.1f\n", options.steps, size, sum);
  MPI_Finalize();
  return 0;
}
