/* Several codes and services in one job, and blocks of a grid of ranks, in small; one is run:
 *
 *     services NAME N STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

static MPI_Comm part;

static void two_servers(int step) { /* the last two ranks take what even and odd ranks send */
  const int workers = size - 2;
  (void)step;
  if (rank < workers) {
    compute(4e7 / size);
    give(n, workers + rank % 2);
    return;
  }
  for (int other = rank - workers; other < workers; other += 2) {
    take(n, other);
    compute(1e4);
  }
}

static void split_codes(void) {
  MPI_Comm_split(world, 2 * rank >= size, rank, &part);
}

static void two_codes(int step) { /* each in a half of the ranks; their first ranks exchange */
  const int second = 2 * rank >= size, first = second ? size / 2 : 0;
  (void)step;
  for (int i = 0; i < (second ? 2 : 3); ++i) {
    compute((second ? 2e7 : 3e7) / size);
    MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, part);
  }
  if (rank == first) exchange(n, second ? 0 : size / 2, second ? 0 : size / 2);
  MPI_Bcast(in, n, MPI_DOUBLE, 0, part);
}

static void stagers(int step) { /* every fourth rank looks at what three others computed */
  const int stager = rank / 4 * 4 + 3;
  (void)step;
  if (rank != stager) {
    compute(4e7 / size);
    give(n, stager);
    return;
  }
  for (int other = stager - 3; other < stager; ++other) {
    take(n, other);
    compute(5e6 / size);
  }
}

static void leaders(int step) { /* of groups of four exchange around, and tell their groups */
  const int leader = rank / 4 * 4;
  (void)step;
  compute(4e7 / size);
  if (rank != leader) return take(n, leader);
  exchange(n, (rank + 4) % size, (rank + size - 4) % size);
  for (int member = leader + 1; member < leader + 4; ++member) give(n, member);
}

static void last_deals(int step) { /* tasks of several lengths, from the last rank to whoever is free */
  enum { TASKS = 320 };
  const int master = size - 1;
  int task = step;
  if (rank < master) {
    for (give(1, master);; give(1, master)) {
      MPI_Status status;
      MPI_Recv(&task, 1, MPI_INT, master, MPI_ANY_TAG, world, &status);
      if (status.MPI_TAG == 5) return;
      compute(1e6 * (1 + task % 3));
    }
  }
  for (int dealt = 0, ended = 0; ended < master; ++dealt) {
    MPI_Status status;
    MPI_Recv(in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 3, world, &status);
    compute(1e4);
    task = dealt;
    MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, dealt < TASKS ? 4 : 5, world);
    ended += dealt >= TASKS;
  }
}

/* ---- blocks of a grid of ranks */

static void fewer_and_fewer(int step) { /* inner iterations: as many as steps are left */
  for (int i = step; i < steps; ++i) {
    compute(1e7 / size);
    exchange(n, (rank + 1) % size, (rank + size - 1) % size);
  }
  agree();
}

static void checkers(int step) { /* black places of a grid have twice as much to do */
  const int row_first = at_row * columns;
  (void)step;
  compute(2e7 / size * (1 + (at_row + at_column) % 2));
  exchange(n, row_first + (at_column + 1) % columns, row_first + (at_column + columns - 1) % columns);
  exchange(n, (rank + columns) % size, (rank + size - columns) % size);
}

static void row_sums(int step) { /* go along the rows to the first column, and along that to rank 0 */
  (void)step;
  compute(2e7 / size);
  if (at_column + 1 < columns) {
    take(n, rank + 1);
    compute(10.0 * n);
  }
  if (at_column > 0) give(n, rank - 1);
  if (at_column == 0 && at_row + 1 < rows) {
    take(n, rank + columns);
    compute(10.0 * n);
  }
  if (at_column == 0 && at_row > 0) give(n, rank - columns);
  MPI_Bcast(in, 1, MPI_DOUBLE, 0, world);
}

static void directions(int step) { /* implicit along rows in even steps, along columns in odd ones */
  const MPI_Comm along = step % 2 == 0 ? row : column;
  const int members = step % 2 == 0 ? columns : rows;
  compute(3e7 / size);
  MPI_Alltoall(out, n / size / members, MPI_DOUBLE, in, n / size / members, MPI_DOUBLE, along);
  compute(1e7 / size);
}

static void block_pipeline(int step) { /* as many blocks as ranks go from the first rank to the last */
  (void)step;
  for (int block = 0; block < size; ++block) {
    take(n / size, before());
    compute(4e7 / size / size);
    give(n / size, behind());
  }
}

static const struct Program kPrograms[] = {{"two_servers", NULL, two_servers},
                                           {"two_codes", split_codes, two_codes},
                                           {"stagers", NULL, stagers},
                                           {"leaders", NULL, leaders},
                                           {"last_deals", NULL, last_deals},
                                           {"fewer_and_fewer", NULL, fewer_and_fewer},
                                           {"checkers", make_grid, checkers},
                                           {"row_sums", make_grid, row_sums},
                                           {"directions", split_grid, directions},
                                           {"block_pipeline", NULL, block_pipeline}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
