/* A chain 0 -> 1 -> 2 -> 3: rank 0 takes long to produce data that the others only pass on and consume. Rank
 * 1 waits for a late sender; ranks 2 and 3 wait just as long, for senders that only passed the delay on.
 *
 *   units      0         1         2         3         4         5
 *   rank 0     [========= produce ==========]Send[========= produce
 *   rank 1     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~Recv,Send[consume]~~~~~
 *   rank 2     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~Recv,Send[consume]~~~~~
 *   rank 3     ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~Recv     [consume]~~~~~
 *
 * produce takes 3 units, consume 1. Every rank but the first waits 3 units in step 1 and 2 units in each
 * later one: (N - 1) (2 S + 1) units of Late Sender in S steps on N ranks, all because of produce on rank 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "emulate.h"

NOINLINE double produce(int step) {
  emulate_ms((options.fixed ? 1.0 : 3.0) * options.unit_ms);
  return step;
}

NOINLINE double consume(double item) {
  emulate_ms(1.0 * options.unit_ms);
  return item;
}

NOINLINE double pass_on(int rank, int size, int step) {
  double item;
  if (rank == 0) {
    item = produce(step);
  } else {
    MPI_Recv(&item, 1, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank + 1 < size) MPI_Send(&item, 1, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
  return item;
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
    const double item = pass_on(rank, size, step);
    sum += rank > 0 ? consume(item) : item;
  }
  if (rank == size - 1)
    printf("late_sender_chain: %d steps on %d ranks, sum %.1f\n", options.steps, size, sum);
  MPI_Finalize();
  return 0;
}
