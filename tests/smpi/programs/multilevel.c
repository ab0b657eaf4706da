/* Programs of the population with levels: of grids that get coarser, on fewer ranks, and of elimination in rounds.
 *
 *   multilevel NAME N STEPS      N: values that neighbours exchange on the finest level
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

enum { MOST_REQUESTS = 64 };
static MPI_Request requests[MOST_REQUESTS];
static int open;

static void both_ways(int partner, int count, int tag) {
  if (partner < 0 || partner >= size) return;
  MPI_Irecv(in, count, MPI_DOUBLE, partner, tag, world, &requests[open++]);
  MPI_Isend(out, count, MPI_DOUBLE, partner, tag, world, &requests[open++]);
}

static void complete(void) {
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  open = 0;
}

static int fewer(int by) { /* values of a coarser level */
  return n / by > 0 ? n / by : 1;
}

/* ---- on a line of ranks */

static void smooth(int by) {
  both_ways(rank - by, fewer(by), by);
  both_ways(rank + by, fewer(by), by);
  complete();
  compute(2e7 / size / by);
}

static void v_cycle(int step) { /* down to the coarsest level, and up again */
  (void)step;
  for (int by = 1; by < size; by *= 2)
    if (rank % by == 0) smooth(by);
  for (int by = size / 2; by > 0; by /= 2)
    if (rank % by == 0) smooth(by);
}

static void gathered_levels(
    int step) { /* every other rank hands its part to the one before it, and gets a correction */
  (void)step;
  int by = 1;
  for (; by < size; by *= 2) {
    if (rank % (2 * by) == by) {
      MPI_Send(out, n, MPI_DOUBLE, rank - by, 1, world);
      break;
    }
    MPI_Recv(in, n, MPI_DOUBLE, rank + by, 1, world, MPI_STATUS_IGNORE);
    compute(1e7 / size);
  }
  if (rank != 0) MPI_Recv(in, n, MPI_DOUBLE, rank - by, 2, world, MPI_STATUS_IGNORE);
  for (by /= 2; by > 0; by /= 2) {
    compute(1e7 / size);
    MPI_Send(out, n, MPI_DOUBLE, rank + by, 2, world);
  }
}

static void cyclic_reduction(int step) { /* of every pair of equations one is left */
  (void)step;
  for (int by = 1; by < size; by *= 2) {
    if ((rank + 1) % by != 0) break;
    both_ways(rank - by, n, 3);
    both_ways(rank + by, n, 3);
    complete();
    compute(1e7 / size);
  }
  agree();
}

/* ---- on a grid of ranks */

static void smooth_block(int by) {
  const int count = fewer(by);
  if (at_row >= by) both_ways(rank - by * columns, count, by);
  if (at_row + by < rows) both_ways(rank + by * columns, count, by);
  if (at_column >= by) both_ways(rank - by, count, by);
  if (at_column + by < columns) both_ways(rank + by, count, by);
  complete();
  compute(2e7 / size / by / by);
}

static void blocks_of_levels(int step) {
  (void)step;
  for (int by = 1; by < columns; by *= 2)
    if (at_row % by == 0 && at_column % by == 0) smooth_block(by);
  agree();
}

static void coarse_on_all(
    int step) { /* as many levels as there are doublings of the ranks, all on all ranks */
  (void)step;
  for (int by = 1; by < size; by *= 2) {
    both_ways(rank - 1, fewer(by), 4);
    both_ways(rank + 1, fewer(by), 4);
    complete();
    compute(2e7 / size / by);
  }
  agree();
}

static const struct Program kPrograms[] = {{"v_cycle", NULL, v_cycle},
                                           {"gathered_levels", NULL, gathered_levels},
                                           {"cyclic_reduction", NULL, cyclic_reduction},
                                           {"blocks_of_levels", make_grid, blocks_of_levels},
                                           {"coarse_on_all", NULL, coarse_on_all}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
