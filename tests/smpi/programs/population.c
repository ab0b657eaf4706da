/* Programs of many shapes, each a few lines, with which the predictor is scored. Each uses what is common in
 * its field (rows and columns of ranks, transposes, reductions by hand, loads that differ), and none is tuned
 * to the rules that predict it. Prints when each rank ended, in simulated seconds.
 *
 *   population NAME N STEPS      N: cells, points or keys along an edge, or in total
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

/* ---- rows and columns of ranks */

static void rows_and_columns(int step) {
  (void)step;
  compute(20.0 * n * n / size);
  MPI_Allreduce(out, in, n / columns, MPI_DOUBLE, MPI_SUM, row);
  MPI_Bcast(in, n / rows, MPI_DOUBLE, 0, column);
}

static void panels(int step) { /* as SUMMA: the rank with the panel sends it along its row and column */
  MPI_Bcast(in, 8 * n / rows, MPI_DOUBLE, step % columns, row);
  MPI_Bcast(out, 8 * n / columns, MPI_DOUBLE, step % rows, column);
  compute(16.0 * n / rows * n / columns);
}

static void pencils(int step) { /* a Fourier transform of n*n*n points */
  (void)step;
  const double points = (double)n * n * n / size;
  compute(10 * points);
  MPI_Alltoall(out, (int)(2 * points / columns), MPI_DOUBLE, in, (int)(2 * points / columns), MPI_DOUBLE,
               row);
  compute(10 * points);
  MPI_Alltoall(out, (int)(2 * points / rows), MPI_DOUBLE, in, (int)(2 * points / rows), MPI_DOUBLE, column);
}

static void slabs(int step) {
  (void)step;
  const double points = (double)n * n * n / size;
  compute(20 * points);
  MPI_Alltoall(out, (int)(2 * points / size), MPI_DOUBLE, in, (int)(2 * points / size), MPI_DOUBLE, world);
}

static void subsets(int step) { /* communicators made, used and freed */
  MPI_Comm half, copy;
  MPI_Comm_split(world, (rank + step % 2) % 2, rank, &half);
  MPI_Comm_dup(half, &copy);
  MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, copy);
  compute(1e6 / size);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
}

/* ---- neighbours */

static void halo(int step) { /* cells inside, without their border: (n/rows - 2) * (n/columns - 2) */
  (void)step;
  const int up = at_row > 0 ? rank - columns : MPI_PROC_NULL, left = at_column > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = at_row + 1 < rows ? rank + columns : MPI_PROC_NULL;
  const int right = at_column + 1 < columns ? rank + 1 : MPI_PROC_NULL;
  exchange(n / columns, up, down);
  exchange(n / columns, down, up);
  exchange(n / rows, left, right);
  exchange(n / rows, right, left);
  compute(8.0 * (n / rows - 2) * (n / columns - 2));
}

static void guarded(int step) { /* ranks at an edge do not call */
  (void)step;
  if (rank > 0) MPI_Send(out, n, MPI_DOUBLE, rank - 1, 1, world);
  if (rank + 1 < size) MPI_Recv(in, n, MPI_DOUBLE, rank + 1, 1, world, MPI_STATUS_IGNORE);
  compute(100.0 * n * n / size);
  if (rank == 0) compute(2e4);
  agree();
}

static void front(int step) { /* as LU: both triangular sweeps, with calls where there is a neighbour */
  (void)step;
  const int count = 5 * n / columns;
  for (int plane = 0; plane < 4; ++plane) {
    if (at_row > 0) MPI_Recv(in, count, MPI_DOUBLE, rank - columns, 2, world, MPI_STATUS_IGNORE);
    if (at_column > 0) MPI_Recv(in, count, MPI_DOUBLE, rank - 1, 3, world, MPI_STATUS_IGNORE);
    compute(20.0 * n * n / size);
    if (at_row + 1 < rows) MPI_Send(out, count, MPI_DOUBLE, rank + columns, 2, world);
    if (at_column + 1 < columns) MPI_Send(out, count, MPI_DOUBLE, rank + 1, 3, world);
  }
}

static void uneven(int step) { /* n does not divide by the ranks */
  (void)step;
  const int mine = n / size + (rank < n % size);
  exchange(64, (rank + 1) % size, (rank + size - 1) % size);
  compute(200.0 * mine);
  agree();
}

static void weak(int step) {
  (void)step;
  exchange(n, (rank + 1) % size, (rank + size - 1) % size);
  exchange(n, (rank + columns) % size, (rank + size - columns) % size);
  compute(100.0 * n);
  agree();
}

/* ---- roles, and loops that grow with the ranks */

static void conjugate_gradient(
    int step) { /* as NPB's CG: reduction along a row, then the transposed partner */
  (void)step;
  compute(50.0 * n * n / size);
  for (int by = columns / 2; by > 0; by /= 2)
    exchange(n / rows, at_row * columns + (at_column ^ by), at_row * columns + (at_column ^ by));
  const int ratio = columns / rows;
  const int to = (at_column / ratio) * columns + at_row * ratio + at_column % ratio;
  if (to != rank) exchange(n / columns, to, to);
  for (int by = columns / 2; by > 0; by /= 2)
    exchange(1, at_row * columns + (at_column ^ by), at_row * columns + (at_column ^ by));
}

static void doubling(int step) { /* a reduction by hand */
  (void)step;
  compute(40.0 * n * n / size);
  for (int by = 1; by < size; by *= 2) exchange(n, rank ^ by, rank ^ by);
}

static void ring(int step) { /* an allgather by hand: blocks travel around */
  (void)step;
  compute(40.0 * n * n / size);
  for (int i = 1; i < size; ++i) exchange(n / size, (rank + 1) % size, (rank + size - 1) % size);
}

static void root_works(int step) {
  (void)step;
  MPI_Scatter(out, n / size, MPI_DOUBLE, in, n / size, MPI_DOUBLE, 0, world);
  compute(200.0 * n / size);
  MPI_Gather(out, n / size, MPI_DOUBLE, in, n / size, MPI_DOUBLE, 0, world);
  if (rank == 0) compute(2.0 * n);
}

static void gathered(int step) {
  (void)step;
  compute(100.0 * n * n / size);
  MPI_Allgather(out, n / size, MPI_DOUBLE, in, n / size, MPI_DOUBLE, world);
}

static void dissemination(int step) {
  (void)step;
  compute(40.0 * n * n / size);
  for (int by = 1; by < size; by *= 2) {
    MPI_Request requests[2];
    MPI_Irecv(in, n, MPI_DOUBLE, (rank + size - by) % size, 4, world, &requests[0]);
    MPI_Isend(out, n, MPI_DOUBLE, (rank + by) % size, 4, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void everybody(int step) { /* an all-to-all by hand */
  static MPI_Request requests[8192];
  int open = 0;
  (void)step;
  for (int i = 0; i < size; ++i)
    if (i != rank) MPI_Irecv(in, n / size, MPI_DOUBLE, i, 5, world, &requests[open++]);
  for (int i = 0; i < size; ++i)
    if (i != rank) MPI_Isend(out, n / size, MPI_DOUBLE, i, 5, world, &requests[open++]);
  compute(40.0 * n * n / size);
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
}

static void cannon(int step) { /* blocks travel around each row */
  const int row_first = at_row * columns;
  (void)step;
  for (int i = 0; i < columns; ++i) {
    compute(8.0 * n * n / size);
    exchange(n / columns, row_first + (at_column + 1) % columns,
             row_first + (at_column + columns - 1) % columns);
  }
}

static void columns_by_hand(int step) {
  (void)step;
  compute(40.0 * n * n / size);
  for (int by = 1; by < rows; by *= 2)
    exchange(n / columns, (at_row ^ by) * columns + at_column, (at_row ^ by) * columns + at_column);
  agree();
}

static void each_root(int step) {
  (void)step;
  for (int root = 0; root < size; ++root) MPI_Bcast(in, n / size, MPI_DOUBLE, root, world);
  compute(40.0 * n * n / size);
}

static void dealt(int step) { /* shares, and what becomes of them, one by one */
  (void)step;
  if (rank == 0)
    for (int i = 1; i < size; ++i) MPI_Send(out, n / size, MPI_DOUBLE, i, 6, world);
  else
    MPI_Recv(in, n / size, MPI_DOUBLE, 0, 6, world, MPI_STATUS_IGNORE);
  compute(400.0 * n / size);
  if (rank == 0)
    for (int i = 1; i < size; ++i) MPI_Recv(in, 8, MPI_DOUBLE, i, 7, world, MPI_STATUS_IGNORE);
  else
    MPI_Send(out, 8, MPI_DOUBLE, 0, 7, world);
}

static void tree(int step) { /* a reduction along a binomial tree, by hand */
  (void)step;
  compute(40.0 * n * n / size);
  for (int by = 1; by < size; by *= 2) {
    if (rank % (2 * by) != 0) {
      MPI_Send(out, n, MPI_DOUBLE, rank - by, 8, world);
      break;
    }
    MPI_Recv(in, n, MPI_DOUBLE, rank + by, 8, world, MPI_STATUS_IGNORE);
  }
  agree();
}

static void tasks(int step) { /* a rank that is done gets more */
  const int count = 4 * size;
  MPI_Status status;
  (void)step;
  if (rank == 0) {
    for (int sent = 0, done = 0; done < count + size - 1; ++done) {
      MPI_Recv(in, n, MPI_DOUBLE, MPI_ANY_SOURCE, 9, world, &status);
      MPI_Send(out, sent < count ? n : 0, MPI_DOUBLE, status.MPI_SOURCE, sent < count ? 9 : 10, world);
      ++sent;
    }
    return;
  }
  for (int own = 0;; ++own) {
    MPI_Send(out, n, MPI_DOUBLE, 0, 9, world);
    MPI_Recv(in, n, MPI_DOUBLE, 0, MPI_ANY_TAG, world, &status);
    if (status.MPI_TAG == 10) break;
    compute(1e6 * (0.5 + chance(rank, own)));
  }
}

static void scrambled(int step) { /* partners that no rule of ours gives */
  const int to = (5 * rank + 3) % size;
  int from = 0;
  while ((5 * from + 3) % size != rank) ++from;
  (void)step;
  exchange(n, to, from);
  compute(100.0 * n);
}

/* ---- loads that differ */

static void random_load(int step) {
  (void)step;
  compute(50.0 * n * n / size * (0.8 + 0.4 * chance(rank, 0)));
  agree();
}

static void random_steps(int step) {
  compute(50.0 * n * n / size * (0.8 + 0.4 * chance(rank, step)));
  agree();
}

static void moving_load(int step) {
  compute(50.0 * n * n / size * (rank == step % size ? 2 : 1));
  agree();
}

static void random_sizes(int step) { /* as a sort of keys */
  static int sent[4096], sent_at[4096], received[4096], received_at[4096];
  for (int i = 0; i < size; ++i) {
    sent[i] = (int)(n / size * (0.5 + chance(rank * size + i, step)));
    received[i] = (int)(n / size * (0.5 + chance(i * size + rank, step)));
    sent_at[i] = received_at[i] = 2 * i * (n / size);
  }
  MPI_Alltoallv(out, sent, sent_at, MPI_INT, in, received, received_at, MPI_INT, world);
  compute(20.0 * n);
}

static void fences(int step) {
  static MPI_Win window;
  if (step == 0) MPI_Win_create(in, 8 * n, 1, MPI_INFO_NULL, world, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out, n, MPI_DOUBLE, (rank + 1) % size, 0, n, MPI_DOUBLE, window);
  compute(100.0 * n);
  MPI_Win_fence(0, window);
  if (step + 1 == steps) MPI_Win_free(&window);
}

static void locks(int step) { /* no rank waits for the target */
  static MPI_Win window;
  if (step == 0) MPI_Win_create(in, 8 * n, 1, MPI_INFO_NULL, world, &window);
  MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, window);
  MPI_Get(out, n, MPI_DOUBLE, (rank + 1) % size, 0, n, MPI_DOUBLE, window);
  MPI_Win_unlock((rank + 1) % size, window);
  compute(100.0 * n);
  if (step + 1 == steps) MPI_Win_free(&window);
}

static const struct Program kPrograms[] = {{"rows_and_columns", split_grid, rows_and_columns},
                                           {"panels", split_grid, panels},
                                           {"pencils", split_grid, pencils},
                                           {"slabs", NULL, slabs},
                                           {"subsets", NULL, subsets},
                                           {"halo", make_grid, halo},
                                           {"guarded", NULL, guarded},
                                           {"front", make_grid, front},
                                           {"uneven", NULL, uneven},
                                           {"weak", make_grid, weak},
                                           {"conjugate_gradient", make_grid, conjugate_gradient},
                                           {"doubling", NULL, doubling},
                                           {"ring", NULL, ring},
                                           {"root_works", NULL, root_works},
                                           {"gathered", NULL, gathered},
                                           {"random_load", NULL, random_load},
                                           {"random_steps", NULL, random_steps},
                                           {"moving_load", NULL, moving_load},
                                           {"random_sizes", NULL, random_sizes},
                                           {"fences", NULL, fences},
                                           {"locks", NULL, locks},
                                           {"dissemination", NULL, dissemination},
                                           {"everybody", NULL, everybody},
                                           {"cannon", make_grid, cannon},
                                           {"columns_by_hand", make_grid, columns_by_hand},
                                           {"each_root", NULL, each_root},
                                           {"dealt", NULL, dealt},
                                           {"tree", NULL, tree},
                                           {"tasks", NULL, tasks},
                                           {"scrambled", NULL, scrambled}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
