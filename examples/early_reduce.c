/* The root of a reduction is early: it has nothing to integrate and waits for the first contribution. A
 * barrier ends each step.
 *
 *   units      0         1         2         3
 *   root 0     [ collect ]~~~~~~~~~~~~~~~~~~~Reduce
 *   rank 1     [======== integrate =========]Reduce
 *   rank 2     [======== integrate =========]Reduce
 *
 * integrate takes 3 units, collect 1: the root waits 2 units a step, 2 S units of Early Reduce in S steps.
 * The others do not wait: a contribution is sent, not answered.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "emulate.h"

NOINLINE double integrate(int rank) {
  emulate_ms((options.fixed ? 1.0 : 3.0) * options.unit_ms);
  return rank;
}

NOINLINE double collect(void) {
  emulate_ms(1.0 * options.unit_ms);
  return 0.0;
}

int main(int argc, char** argv) {
  int rank, size;
  double total = 0.0;
  MPI_Init(&argc, &argv);
  read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < options.steps; ++step) {
    const double part = rank == 0 ? collect() : integrate(rank);
    double sum = 0.0;
    MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    total += sum;
    MPI_Barrier(MPI_COMM_WORLD); /* or the senders, which never wait, would drift apart */
  }
  if (rank == 0) printf("early_reduce: %d steps on %d ranks, total %.1f\n", options.steps, size, total);
  MPI_Finalize();
  return 0;
}
