/* A little solver that is out of balance: the matching of equations of state takes one of two branches, and
 * only the ranks that hold such cells take them. All other ranks wait at the Allreduce that ends the time
 * step.
 *
 *   one step, in units      0    1    2    3    4    5
 *   rank 0   4 + 4 cells    [sweep|== if_970 ==|= if_946 =]Allreduce
 *   rank 1   2 + 2 cells    [sweep|if_970|946]~~~~~~~~~~~~Allreduce
 *   rank 2   none           [sweep]~~~~~~~~~~~~~~~~~~~~~~~Allreduce
 *   rank 3   none           [sweep]~~~~~~~~~~~~~~~~~~~~~~~Allreduce
 *
 * A cell of eos_match_if_970 takes 0.6 units, one of eos_match_if_946 takes 0.3: rank 0 computes 2.4 + 1.2
 * = 3.6 units more than ranks 2 and 3, and 1.8 more than rank 1. Wait at Allreduce: 1.8 + 3.6 (N - 2) units a
 * step on N ranks; eos_match_if_970 causes two thirds of it, eos_match_if_946 one third.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "emulate.h"

NOINLINE double eos_match_if_970(double density) {
  emulate_ms(0.6 * options.unit_ms);
  return density * 1.01;
}

NOINLINE double eos_match_if_946(double density) {
  emulate_ms(0.3 * options.unit_ms);
  return density * 0.99;
}

/* Matches the equation of state of every cell that needs it. */
NOINLINE double eos_match(int cells, double density) {
  double sum = 0.0;
  if (!options.fixed)
    for (int cell = 0; cell < cells; ++cell) sum += eos_match_if_970(density);
  for (int cell = 0; cell < cells; ++cell) sum += eos_match_if_946(density);
  return sum;
}

/* The balanced part: every rank does the same, then exchanges its edge with its neighbours in a ring. */
NOINLINE double sweep(int rank, int size, double density) {
  double edge = density;
  emulate_ms(1.0 * options.unit_ms);
  MPI_Sendrecv_replace(&edge, 1, MPI_DOUBLE, (rank + 1) % size, 7, (rank + size - 1) % size, 7,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return 0.5 * (density + edge);
}

NOINLINE double time_step(int rank, int size, double density) {
  const int cells = rank == 0 ? 4 : rank == 1 ? 2 : 0;
  double mine, all = 0.0;
  density = sweep(rank, size, density);
  mine = density + eos_match(cells, density);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return density + 1e-6 * all;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double density = 1.0 + rank;
  for (int step = 0; step < options.steps; ++step) density = time_step(rank, size, density);
  if (rank == 0) printf("imbalance: %d steps on %d ranks, density %.9f\n", options.steps, size, density);
  MPI_Finalize();
  return 0;
}
