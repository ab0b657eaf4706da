/* More programs of the population: one-sided epochs, trees and rings by hand, sweeps from all corners, sorts, partners
 * by chance, factorisations whose panels shrink, coupled groups.
 *
 *   more_shapes NAME N STEPS      N: cells, points or keys along an edge, or in all
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

enum { MOST_RANKS = 4096 };
static MPI_Request requests[2 * MOST_RANKS];
static MPI_Comm cart;
static MPI_Win window;

static void make_cart(void) {
  int extents[3] = {0, 0, 0}, periodic[3] = {0, 0, 0};
  MPI_Dims_create(size, 3, extents);
  MPI_Cart_create(world, 3, extents, periodic, 0, &cart);
}

static void make_window(void) {
  make_grid();
  MPI_Win_create(in, BYTES / 2, 1, MPI_INFO_NULL, world, &window);
}

/* ---- one-sided */

static int around(int by_row, int by_column) { /* on a torus */
  return (at_row + by_row + rows) % rows * columns + (at_column + by_column + columns) % columns;
}

static void puts_around(int step) {
  (void)step;
  MPI_Win_fence(0, window);
  MPI_Put(out, n / columns, MPI_DOUBLE, around(1, 0), 0, n / columns, MPI_DOUBLE, window);
  MPI_Put(out, n / columns, MPI_DOUBLE, around(-1, 0), 8 * n, n / columns, MPI_DOUBLE, window);
  MPI_Put(out, n / rows, MPI_DOUBLE, around(0, 1), 16 * n, n / rows, MPI_DOUBLE, window);
  MPI_Put(out, n / rows, MPI_DOUBLE, around(0, -1), 24 * n, n / rows, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  compute(8.0 * n * n / size);
}

static void epochs(int step) { /* post, start, complete, wait */
  MPI_Group everybody, left, right;
  const int before = (rank + size - 1) % size, behind = (rank + 1) % size;
  (void)step;
  MPI_Comm_group(world, &everybody);
  MPI_Group_incl(everybody, 1, &before, &left);
  MPI_Group_incl(everybody, 1, &behind, &right);
  MPI_Win_post(left, 0, window);
  MPI_Win_start(right, 0, window);
  MPI_Put(out, n, MPI_DOUBLE, behind, 0, n, MPI_DOUBLE, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  compute(4e7 / size);
}

static void locked_puts(int step) {
  (void)step;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (rank + 1) % size, 0, window);
  MPI_Put(out, n, MPI_DOUBLE, (rank + 1) % size, 0, n, MPI_DOUBLE, window);
  MPI_Win_unlock((rank + 1) % size, window);
  compute(4e7 / size);
  agree();
}

/* ---- trees and rings by hand */

static void binomial_bcast(int step) {
  int by = 1;
  (void)step;
  for (; by < size; by *= 2)
    if (rank & by) {
      MPI_Recv(in, n, MPI_DOUBLE, rank - by, 1, world, MPI_STATUS_IGNORE);
      break;
    }
  for (by /= 2; by > 0; by /= 2)
    if (rank + by < size) MPI_Send(out, n, MPI_DOUBLE, rank + by, 1, world);
  compute(4e7 / size);
}

static void ring_allreduce(int step) { /* sums of parts travel around, then the sums */
  (void)step;
  compute(4e7 / size);
  for (int i = 1; i < size; ++i) {
    exchange(n / size, (rank + 1) % size, (rank + size - 1) % size);
    compute(2.0 * n / size);
  }
  for (int i = 1; i < size; ++i) exchange(n / size, (rank + 1) % size, (rank + size - 1) % size);
}

static void halving(int step) { /* half as much to half as far, then back */
  int part = n;
  (void)step;
  compute(4e7 / size);
  for (int by = size / 2; by > 0; by /= 2) exchange(part /= 2, rank ^ by, rank ^ by);
  for (int by = 1; by < size; by *= 2, part *= 2) exchange(part, rank ^ by, rank ^ by);
}

static void reduce_by_hand(int step) { /* to rank 0, and back, along the same tree */
  int by = 1;
  (void)step;
  compute(4e7 / size);
  for (; by < size && rank % (2 * by) == 0; by *= 2)
    if (rank + by < size) MPI_Recv(in, n, MPI_DOUBLE, rank + by, 2, world, MPI_STATUS_IGNORE);
  if (rank > 0) {
    MPI_Send(out, n, MPI_DOUBLE, rank - by, 2, world);
    MPI_Recv(in, n, MPI_DOUBLE, rank - by, 3, world, MPI_STATUS_IGNORE);
  }
  for (by /= 2; by > 0; by /= 2)
    if (rank + by < size) MPI_Send(out, n, MPI_DOUBLE, rank + by, 3, world);
}

/* ---- servers */

static void numbered_tasks(int step) { /* as long as their number says, to whoever is done */
  const int count = 2000;
  MPI_Status status;
  (void)step;
  if (rank == 0) {
    for (int task = 0; task < count + size - 1; ++task) {
      int number = task < count ? task : -1;
      MPI_Recv(in, n, MPI_DOUBLE, MPI_ANY_SOURCE, 1, world, &status);
      MPI_Send(&number, 1, MPI_INT, status.MPI_SOURCE, 2, world);
    }
    return;
  }
  for (;;) {
    int number;
    MPI_Send(out, n, MPI_DOUBLE, 0, 1, world);
    MPI_Recv(&number, 1, MPI_INT, 0, 2, world, MPI_STATUS_IGNORE);
    if (number < 0) break;
    compute(1e6 * (0.5 + chance(number, 7)));
  }
}

/* ---- sweeps and pipelines */

static void corners(int step) { /* sweeps that begin at each corner of the grid */
  const int count = 4 * n / columns;
  for (int corner = 0; corner < 4; ++corner) {
    const int down = corner < 2 ? 1 : -1, on = corner % 2 == 0 ? 1 : -1;
    const int above = at_row - down, before = at_column - on;
    (void)step;
    for (int block = 0; block < 3; ++block) {
      if (above >= 0 && above < rows)
        MPI_Recv(in, count, MPI_DOUBLE, rank - down * columns, 2, world, MPI_STATUS_IGNORE);
      if (before >= 0 && before < columns)
        MPI_Recv(in, count, MPI_DOUBLE, rank - on, 3, world, MPI_STATUS_IGNORE);
      compute(20.0 * n * n / size);
      if (at_row + down >= 0 && at_row + down < rows)
        MPI_Send(out, count, MPI_DOUBLE, rank + down * columns, 2, world);
      if (at_column + on >= 0 && at_column + on < columns)
        MPI_Send(out, count, MPI_DOUBLE, rank + on, 3, world);
    }
  }
}

static void pipeline(int step) { /* everything goes through all ranks */
  (void)step;
  if (rank > 0) MPI_Recv(in, n, MPI_DOUBLE, rank - 1, 1, world, MPI_STATUS_IGNORE);
  compute(4e7 / size);
  if (rank + 1 < size) MPI_Send(out, n, MPI_DOUBLE, rank + 1, 1, world);
}

/* ---- sorts, transposes, factorisations */

static void bucket_sort(int step) { /* as NPB's IS: sizes of buckets, how many for whom, the keys */
  static int sent[MOST_RANKS], sent_at[MOST_RANKS], received[MOST_RANKS], received_at[MOST_RANKS];
  compute(10.0 * n / size);
  MPI_Allreduce(out, in, 1024, MPI_INT, MPI_SUM, world);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, world);
  for (int i = 0; i < size; ++i) {
    const double share = (double)n / size / size;
    sent[i] = (int)(share * (0.8 + 0.4 * chance(rank, i + 13 * step)));
    received[i] = (int)(share * (0.8 + 0.4 * chance(i, rank + 13 * step)));
    sent_at[i] = received_at[i] = (int)(1.3 * share) * i;
  }
  MPI_Alltoallv(out, sent, sent_at, MPI_INT, in, received, received_at, MPI_INT, world);
  compute(20.0 * n / size);
}

static void transposes(int step) { /* n does not divide evenly along rows and columns of ranks */
  static int sent[MOST_RANKS], at[MOST_RANKS];
  const int planes = n / rows + (at_row < n % rows), lines = n / columns + (at_column < n % columns);
  (void)step;
  for (int i = 0; i < columns; ++i) {
    sent[i] = planes * lines * (n / columns + (i < n % columns));
    at[i] = i * n * n;
  }
  compute(50.0 * planes * lines * n);
  MPI_Alltoallv(out, sent, at, MPI_DOUBLE, in, sent, at, MPI_DOUBLE, row);
  compute(50.0 * planes * lines * n);
  MPI_Alltoall(out, n * n / size, MPI_DOUBLE, in, n * n / size, MPI_DOUBLE, column);
}

static void shrinking(int step) { /* as LU: what is left becomes smaller from panel to panel */
  const int left = n - step * (n / steps);
  if (rank == step % size) compute(4.0 * left * 16);
  MPI_Bcast(in, left * 16, MPI_DOUBLE, step % size, world);
  compute(2.0 * left * left * 16 / size);
}

static void scans(int step) {
  static int counts[MOST_RANKS];
  (void)step;
  for (int i = 0; i < size; ++i) counts[i] = n / size;
  compute(4e7 / size);
  MPI_Scan(out, in, n / size, MPI_DOUBLE, MPI_SUM, world);
  MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, world);
  MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_SUM, 0, world);
}

/* ---- partners */

static void sparse(int step) { /* a graph by chance: the same partners in each step */
  int open = 0;
  (void)step;
  for (int other = 0; other < size; ++other) {
    const int low = other < rank ? other : rank, high = other < rank ? rank : other;
    if (other == rank || chance(low, high) >= 5.0 / size) continue;
    MPI_Irecv(in, n, MPI_DOUBLE, other, 1, world, &requests[open++]);
    MPI_Isend(out, n, MPI_DOUBLE, other, 1, world, &requests[open++]);
  }
  compute(4e7 / size);
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
}

static void two_by_chance(int step) { /* as many for each rank, others in each step */
  int open = 0;
  for (int by = 0; by < 2; ++by) {
    const int shift = 1 + (int)(chance(by, step) * (size - 1));
    MPI_Irecv(in, n, MPI_DOUBLE, (rank + size - shift) % size, by, world, &requests[open++]);
    MPI_Isend(out, n, MPI_DOUBLE, (rank + shift) % size, by, world, &requests[open++]);
  }
  compute(4e7 / size);
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
}

static void overlapped(int step) { /* a halo in three dimensions while cells inside are computed */
  int open = 0;
  (void)step;
  for (int d = 0; d < 3; ++d) {
    int down, up;
    MPI_Cart_shift(cart, d, 1, &down, &up);
    MPI_Irecv(in, n * n / 8, MPI_DOUBLE, down, d, cart, &requests[open++]);
    MPI_Irecv(in, n * n / 8, MPI_DOUBLE, up, d, cart, &requests[open++]);
    MPI_Isend(out, n * n / 8, MPI_DOUBLE, up, d, cart, &requests[open++]);
    MPI_Isend(out, n * n / 8, MPI_DOUBLE, down, d, cart, &requests[open++]);
  }
  compute(8.0 * n * n * n / size);
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  compute(100.0 * n * n / 8);
}

static void eight_neighbours(int step) { /* diagonal ones as well */
  int open = 0;
  (void)step;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) {
      const int count = i != 0 && j != 0 ? 8 : i != 0 ? n / columns : n / rows;
      if (i == 0 && j == 0) continue;
      MPI_Irecv(in, count, MPI_DOUBLE, around(-i, -j), 3 * i + j + 4, world, &requests[open++]);
      MPI_Isend(out, count, MPI_DOUBLE, around(i, j), 3 * i + j + 4, world, &requests[open++]);
    }
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  compute(8.0 * n * n / size);
}

static void cycle(int step) { /* of a multigrid method: coarser and coarser halos */
  (void)step;
  for (int level = 0; level < 5; ++level) {
    exchange(n / columns >> level, around(1, 0), around(-1, 0));
    exchange(n / rows >> level, around(0, 1), around(0, -1));
    compute(20.0 * (n >> level) * (n >> level) / size);
  }
  agree();
}

static void coupled(int step) { /* two programs, which meet at each step */
  const int first = rank < size / 2;
  MPI_Allreduce(out, in, 64, MPI_DOUBLE, MPI_SUM, row);
  compute((first ? 3e7 : 4e7) / size);
  (void)step;
  exchange(n / size, (rank + size / 2) % size, (rank + size / 2) % size);
}

static void split_halves(void) {
  MPI_Comm_split(world, rank < size / 2, rank, &row);
}

static void in_background(int step) { /* a sum that is needed only a step later */
  MPI_Request sum;
  (void)step;
  MPI_Iallreduce(out, in, n, MPI_DOUBLE, MPI_SUM, world, &sum);
  compute(4e7 / size);
  MPI_Wait(&sum, MPI_STATUS_IGNORE);
}

/* ---- loads that differ */

static void alternating(int step) { /* even and odd ranks take turns to be slow */
  compute(4e7 / size * ((rank + step) % 2 == 0 ? 1.5 : 1));
  exchange(n, (rank + 1) % size, (rank + size - 1) % size);
}

static void hot_rows(int step) { /* the middle of the domain takes longer */
  const double at = (at_row + 0.5) / rows - 0.5;
  (void)step;
  compute(4e7 / size * (1 + 1 / (1 + 40 * at * at)));
  exchange(n / columns, around(1, 0), around(-1, 0));
  exchange(n / columns, around(-1, 0), around(1, 0));
}

static const struct Program kPrograms[] = {{"puts_around", make_window, puts_around},
                                           {"epochs", make_window, epochs},
                                           {"locked_puts", make_window, locked_puts},
                                           {"binomial_bcast", NULL, binomial_bcast},
                                           {"ring_allreduce", NULL, ring_allreduce},
                                           {"halving", NULL, halving},
                                           {"reduce_by_hand", NULL, reduce_by_hand},
                                           {"numbered_tasks", NULL, numbered_tasks},
                                           {"corners", make_grid, corners},
                                           {"pipeline", NULL, pipeline},
                                           {"bucket_sort", NULL, bucket_sort},
                                           {"transposes", split_grid, transposes},
                                           {"shrinking", NULL, shrinking},
                                           {"scans", NULL, scans},
                                           {"sparse", NULL, sparse},
                                           {"two_by_chance", NULL, two_by_chance},
                                           {"overlapped", make_cart, overlapped},
                                           {"eight_neighbours", make_grid, eight_neighbours},
                                           {"cycle", make_grid, cycle},
                                           {"coupled", split_halves, coupled},
                                           {"in_background", NULL, in_background},
                                           {"alternating", NULL, alternating},
                                           {"hot_rows", make_grid, hot_rows}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
