/* The root of a broadcast is late: it reads the input for all ranks.
 *
 *   units      0         1         2         3
 *   root 0     [======== read_input ========]Bcast
 *   rank 1     [= prepare =]~~~~~~~~~~~~~~~~~Bcast
 *   rank 2     [= prepare =]~~~~~~~~~~~~~~~~~Bcast
 *
 * read_input takes 3 units, prepare 1: every rank but the root waits 2 units a step, 2 (N - 1) S units of
 * Late Broadcast in S steps on N ranks. The root does not wait for the receivers: it does not synchronise
 * with them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "emulate.h"

NOINLINE double read_input(int step) {
  emulate_ms((options.fixed ? 1.0 : 3.0) * options.unit_ms);
  return step;
}

NOINLINE double prepare(void) {
  emulate_ms(1.0 * options.unit_ms);
  return 0.0;
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
    double input = rank == 0 ? read_input(step) : prepare();
    MPI_Bcast(&input, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    sum += input;
  }
  if (rank == size - 1) printf("late_broadcast: %d steps on %d ranks, sum %.1f\n", options.steps, size, sum);
  MPI_Finalize();
  return 0;
}
