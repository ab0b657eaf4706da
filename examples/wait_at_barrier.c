/* Work that grows with the rank, then a barrier: all wait for the last rank.
 *
 *   units      0         1         2         3         4
 *   rank 0     [ assemble]~~~~~~~~~~~~~~~~~~~~~~~~~~~~~Barrier
 *   rank 1     [===== assemble ====]~~~~~~~~~~~~~~~~~~~Barrier
 *   rank 2     [========= assemble ==========]~~~~~~~~~Barrier
 *   rank 3     [============= assemble ================]Barrier
 *
 * assemble takes rank + 1 units: rank r waits N - 1 - r units a step, N (N - 1) / 2 units a step in total.
 * (Built without debug information: the report then has the function, but no file and line.)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "emulate.h"

NOINLINE int assemble(int elements) {
  emulate_ms((options.fixed ? 1 : elements) * options.unit_ms);
  return elements;
}

int main(int argc, char** argv) {
  int rank, size, elements = 0;
  MPI_Init(&argc, &argv);
  read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < options.steps; ++step) {
    elements += assemble(rank + 1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == size - 1)
    printf("wait_at_barrier: %d steps on %d ranks, %d elements\n", options.steps, size, elements);
  MPI_Finalize();
  return 0;
}
