/* Exchanges as solvers and their libraries make them by hand, in small; one is run:
 *
 *     solvers NAME N STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "posted.h"

/* ---- grids of ranks */

static void pivoted(
    int step) { /* columns one by one: a pivot, two rows change places, the panel goes along rows */
  const int own = step % rows, other = (step + rows / 2) % rows;
  if (at_column == step % columns) {
    for (int i = 0; i < 3; ++i) {
      compute(2.0 * n / rows * 32);
      MPI_Allreduce(out, in, 1, MPI_DOUBLE_INT, MPI_MAXLOC, column);
    }
  }
  MPI_Bcast(in, 16 * n / rows, MPI_DOUBLE, step % columns, row);
  if (own != other && (at_row == own || at_row == other)) {
    const int partner = (at_row == own ? other : own) * columns + at_column;
    exchange(8 * n / columns, partner, partner);
  }
  MPI_Bcast(out, 16 * n / columns, MPI_DOUBLE, own, column);
  compute(32.0 * n / rows * n / columns);
}

static int at(int down, int on) { /* MPI_PROC_NULL: beyond an edge */
  const int x = at_row + down, y = at_column + on;
  return x < 0 || x >= rows || y < 0 || y >= columns ? MPI_PROC_NULL : x * columns + y;
}

static void two_phases(int step) { /* halos along rows, then along columns with the corners that just came */
  (void)step;
  post(n / columns, at(1, 0), at(-1, 0), 1);
  post(n / columns, at(-1, 0), at(1, 0), 2);
  finish();
  compute(1e4);
  post(n / rows + 2, at(0, 1), at(0, -1), 3);
  post(n / rows + 2, at(0, -1), at(0, 1), 4);
  finish();
  compute(24.0 * n * n / size);
}

static void forward_and_back(
    int step) { /* a sweep through planes from one corner, then from the opposite one */
  (void)step;
  for (int way = 1; way >= -1; way -= 2)
    for (int plane = 0; plane < 5; ++plane) {
      MPI_Recv(in, n / columns, MPI_DOUBLE, at(-way, 0), plane, world, MPI_STATUS_IGNORE);
      MPI_Recv(in, n / rows, MPI_DOUBLE, at(0, -way), plane, world, MPI_STATUS_IGNORE);
      compute(4e6 / size);
      MPI_Send(out, n / columns, MPI_DOUBLE, at(way, 0), plane, world);
      MPI_Send(out, n / rows, MPI_DOUBLE, at(0, way), plane, world);
    }
}

static void rings_of_rows(int step) { /* parts travel around each row, then what it has around each column */
  const int first = at_row * columns;
  (void)step;
  compute(2e7 / size);
  for (int i = 1; i < columns; ++i)
    exchange(n / size, first + (at_column + 1) % columns, first + (at_column + columns - 1) % columns);
  for (int i = 1; i < rows; ++i) exchange(n / rows, (rank + columns) % size, (rank + size - columns) % size);
}

/* ---- lines of ranks */

static void double_buffered(int step) { /* the next halo travels while this one is worked on */
  if (step > 0) finish();
  post(n, behind(), before(), step % 2);
  post(n, before(), behind(), step % 2);
  compute(4e7 / size);
  if (step + 1 == steps) finish();
}

static void refined(int step) { /* the middle has finer cells: more to compute, wider halos */
  const int fine = rank >= size / 4 && rank < 3 * size / 4;
  const int fine_before = rank > 0 && (fine || rank - 1 == 3 * size / 4 - 1),
            fine_behind = rank + 1 < size && (fine || rank + 1 == size / 4);
  (void)step;
  post(n, behind(), before(), 1);
  post(n, before(), behind(), 1);
  if (fine_before) post(3 * n, rank - 1, rank - 1, 2);
  if (fine_behind) post(3 * n, rank + 1, rank + 1, 2);
  finish();
  compute(2e7 / size * (fine ? 2 : 1));
  agree();
}

static void brigade(
    int step) { /* fours of ranks hand on what they and those behind them have, until the first writes */
  const int place = rank % 4;
  (void)step;
  compute(2e7 / size);
  if (place < 3) take(n * (3 - place), rank + 1);
  if (place > 0)
    give(n * (4 - place), rank - 1);
  else
    compute(1e5);
}

/* ---- sums by hand */

static void leaders_by_hand(int step) { /* fours: to the first, which doubles distances, and back */
  const int leader = rank / 4 * 4;
  (void)step;
  compute(4e7 / size);
  if (rank != leader) {
    give(n, leader);
    take(n, leader);
    return;
  }
  for (int i = 1; i < 4; ++i) take(n, leader + i);
  for (int by = 4; by < size; by *= 2) exchange(n, rank ^ by, rank ^ by);
  for (int i = 1; i < 4; ++i) give(n, leader + i);
}

static void folded(
    int step) { /* three quarters of the ranks: a third of them first adds theirs to that of another */
  const int doubling = size / 2, extra = size / 4;
  int number = rank < 2 * extra ? rank / 2 : rank - extra;
  (void)step;
  compute(4e7 / size);
  if (rank >= doubling + extra) return;
  if (rank < 2 * extra && rank % 2 == 0) {
    give(n, rank + 1);
    take(n, rank + 1);
    return;
  }
  if (rank < 2 * extra) take(n, rank - 1);
  for (int by = 1; by < doubling; by *= 2) {
    const int partner = number ^ by, other = partner < extra ? 2 * partner + 1 : partner + extra;
    exchange(n, other, other);
  }
  if (rank < 2 * extra) give(n, rank - 1);
}

static void tree_of_threes(int step) { /* a sum up a tree in which each rank has two more at each level */
  (void)step;
  compute(4e7 / size);
  for (int by = 1; by < size; by *= 3) {
    if (rank / by % 3 != 0) {
      give(n, rank - rank / by % 3 * by);
      break;
    }
    for (int i = 1; i < 3; ++i)
      if (rank + i * by < size) take(n, rank + i * by);
  }
  MPI_Bcast(in, n, MPI_DOUBLE, 0, world);
}

/* ---- who has what */

static void near_and_far(int step) { /* ranks send the less the farther away the other is */
  static int counts[4096], places[4096];
  (void)step;
  for (int i = 0, place = 0; i < size; place += counts[i++]) {
    counts[i] = n / size / (1 + abs(i - rank));
    places[i] = place;
  }
  compute(4e7 / size);
  MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, world);
}

static void batches(int step) { /* rank 0 deals ever smaller batches of tasks to whoever asks */
  MPI_Status status;
  (void)step;
  if (rank == 0) {
    int left = n, done = 0;
    while (done < size - 1) {
      int batch = left / (2 * (size - 1));
      if (batch < 4) batch = left < 4 ? left : 4;
      MPI_Recv(in, 16, MPI_DOUBLE, MPI_ANY_SOURCE, 5, world, &status);
      MPI_Send(&batch, 1, MPI_INT, status.MPI_SOURCE, 6, world);
      left -= batch;
      done += batch == 0;
    }
    return;
  }
  for (;;) {
    int batch;
    MPI_Send(out, 16, MPI_DOUBLE, 0, 5, world);
    MPI_Recv(&batch, 1, MPI_INT, 0, 6, world, MPI_STATUS_IGNORE);
    if (batch == 0) return;
    compute(1e5 * batch);
  }
}

static const struct Program kPrograms[] = {{"pivoted", split_grid, pivoted},
                                           {"two_phases", make_grid, two_phases},
                                           {"forward_and_back", make_grid, forward_and_back},
                                           {"rings_of_rows", make_grid, rings_of_rows},
                                           {"double_buffered", NULL, double_buffered},
                                           {"refined", NULL, refined},
                                           {"brigade", NULL, brigade},
                                           {"leaders_by_hand", NULL, leaders_by_hand},
                                           {"folded", NULL, folded},
                                           {"tree_of_threes", NULL, tree_of_threes},
                                           {"near_and_far", NULL, near_and_far},
                                           {"batches", NULL, batches}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
