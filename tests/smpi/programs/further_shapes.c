/* Programs of the population that the predictor's rules were not tuned to: coarser levels on fewer ranks,
 * factorisations on a grid, sorts by exchange, groups of nodes, output by one rank, sweeps in three dimensions.
 *
 *   further_shapes NAME N STEPS      N: cells, points or keys along an edge, or in total
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

enum { MOST_RANKS = 4096 };
static MPI_Request requests[4 * MOST_RANKS];
static MPI_Comm cart, leaders;
static int open;

static void receive(int count, int from, int tag) {
  MPI_Irecv(in, count, MPI_DOUBLE, from, tag, world, &requests[open++]);
}

static void send(int count, int to, int tag) {
  MPI_Isend(out, count, MPI_DOUBLE, to, tag, world, &requests[open++]);
}

static void complete(void) {
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  open = 0;
}

/* ---- neighbours */

static void make_box(void) {
  int extents[3] = {0, 0, 0}, periodic[3] = {0, 0, 0};
  MPI_Dims_create(size, 3, extents);
  MPI_Cart_create(world, 3, extents, periodic, 1, &cart);
  for (int d = 0; d < 3; ++d) {
    const int area = n / extents[(d + 1) % 3] * (n / extents[(d + 2) % 3]);
    int down, up;
    MPI_Cart_shift(cart, d, 1, &down, &up);
    MPI_Recv_init(in, area, MPI_DOUBLE, down, d, cart, &requests[open++]);
    MPI_Recv_init(in, area, MPI_DOUBLE, up, d, cart, &requests[open++]);
    MPI_Send_init(out, area, MPI_DOUBLE, up, d, cart, &requests[open++]);
    MPI_Send_init(out, area, MPI_DOUBLE, down, d, cart, &requests[open++]);
  }
}

static void box(int step) { /* persistent halos in three dimensions, now and then the residual */
  MPI_Startall(12, requests);
  compute(10.0 * n * n * n / size);
  MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
  if (step % 5 == 4) agree();
}

static void levels(int step) { /* of a multigrid method: coarser ones on fewer ranks */
  (void)step;
  for (int by = 1; by < size; by *= 2) {
    if (rank % by != 0) continue;
    if (rank - by >= 0) receive(n, rank - by, by);
    if (rank + by < size) receive(n, rank + by, by);
    if (rank - by >= 0) send(n, rank - by, by);
    if (rank + by < size) send(n, rank + by, by);
    compute(4e7 / size / by);
    complete();
  }
  agree();
}

static void red_black(int step) { /* even ranks send first */
  const int up = (rank + 1) % size, down = (rank + size - 1) % size;
  (void)step;
  for (int colour = 0; colour < 2; ++colour) {
    compute(2e7 / size);
    if (rank % 2 == 0) {
      MPI_Send(out, n, MPI_DOUBLE, up, colour, world);
      MPI_Recv(in, n, MPI_DOUBLE, down, colour, world, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, n, MPI_DOUBLE, down, colour, world, MPI_STATUS_IGNORE);
      MPI_Send(out, n, MPI_DOUBLE, up, colour, world);
    }
  }
}

static void particles(int step) { /* as many as happen to cross */
  const int up = (rank + 1) % size, down = (rank + size - 1) % size;
  compute(4e7 / size * (0.9 + 0.2 * chance(rank, step)));
  MPI_Irecv(in, 2 * n, MPI_DOUBLE, down, 1, world, &requests[0]);
  MPI_Isend(out, (int)(n * (0.5 + chance(step, rank))), MPI_DOUBLE, up, 1, world, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  agree();
}

static void second_neighbours(int step) { /* next ones and those behind, whichever comes first */
  (void)step;
  for (int by = 1; by <= 2; ++by) {
    receive(n, (rank + by) % size, by);
    receive(n, (rank + size - by) % size, by + 2);
    send(n, (rank + size - by) % size, by);
    send(n, (rank + by) % size, by + 2);
  }
  for (int done = 0; done < open; ++done) {
    int which;
    MPI_Waitany(open, requests, &which, MPI_STATUS_IGNORE);
    compute(1e6 / size);
  }
  open = 0;
  compute(4e7 / size);
}

static void octants(int step) { /* sweeps from each corner of a box, in blocks of planes */
  (void)step;
  for (int octant = 0; octant < 8; ++octant) {
    const int down = octant & 1 ? 1 : -1, on = octant & 2 ? 1 : -1;
    for (int block = 0; block < 4; ++block) {
      if (at_row - down >= 0 && at_row - down < rows)
        MPI_Recv(in, n * n / columns, MPI_DOUBLE, rank - down * columns, octant, world, MPI_STATUS_IGNORE);
      if (at_column - on >= 0 && at_column - on < columns)
        MPI_Recv(in, n * n / rows, MPI_DOUBLE, rank - on, octant, world, MPI_STATUS_IGNORE);
      compute(25.0 * n * n * n / size);
      if (at_row + down >= 0 && at_row + down < rows)
        MPI_Send(out, n * n / columns, MPI_DOUBLE, rank + down * columns, octant, world);
      if (at_column + on >= 0 && at_column + on < columns)
        MPI_Send(out, n * n / rows, MPI_DOUBLE, rank + on, octant, world);
    }
  }
}

/* ---- matrices */

static void factorisation(int step) { /* blocks of a matrix dealt to a grid of ranks, as HPL does */
  const int left = n - step * (n / steps);
  if (at_column == step % columns) {
    compute(32.0 * left * 32 / rows);
    MPI_Allreduce(out, in, 32, MPI_DOUBLE, MPI_MAX, column);
  }
  MPI_Bcast(in, 32 * (left / rows), MPI_DOUBLE, step % columns, row);
  MPI_Bcast(out, 32 * (left / columns), MPI_DOUBLE, step % rows, column);
  compute(64.0 * left / rows * (left / (double)columns));
}

static void times_vector(int step) { /* on a grid of ranks: the vector along columns, the sums along rows */
  (void)step;
  MPI_Allgather(out, n / size, MPI_DOUBLE, in, n / size, MPI_DOUBLE, column);
  compute(2.0 * n / rows * (n / (double)columns));
  MPI_Reduce_scatter_block(out, in, n / rows / columns, MPI_DOUBLE, MPI_SUM, row);
  exchange(n / size, size - 1 - rank, size - 1 - rank);
}

static void bodies(int step) { /* travel around while the forces of the last ones are computed */
  (void)step;
  for (int i = 0; i < size; ++i) {
    receive(4 * n / size, (rank + size - 1) % size, 1);
    send(4 * n / size, (rank + 1) % size, 1);
    compute(20.0 * n / size * (n / (double)size));
    complete();
  }
}

/* ---- sorts, transposes */

static void bitonic(int step) {
  (void)step;
  compute(20.0 * n / size);
  for (int stage = 2; stage <= size; stage *= 2)
    for (int by = stage / 2; by > 0; by /= 2) {
      exchange(n / size, rank ^ by, rank ^ by);
      compute(5.0 * n / size);
    }
}

static void sample_sort(int step) { /* splitters by one rank, then the keys */
  static int sent[MOST_RANKS], sent_at[MOST_RANKS], received[MOST_RANKS], received_at[MOST_RANKS];
  const double share = (double)n / size / size;
  compute(15.0 * n / size);
  MPI_Gather(out, 16, MPI_INT, in, 16, MPI_INT, 0, world);
  if (rank == 0) compute(100.0 * 16 * size);
  MPI_Bcast(in, size - 1, MPI_INT, 0, world);
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, world);
  for (int i = 0; i < size; ++i) {
    sent[i] = (int)(share * (0.7 + 0.6 * chance(rank, i + 7 * step)));
    received[i] = (int)(share * (0.7 + 0.6 * chance(i, rank + 7 * step)));
    sent_at[i] = received_at[i] = (int)(1.4 * share) * i;
  }
  MPI_Alltoallv(out, sent, sent_at, MPI_INT, in, received, received_at, MPI_INT, world);
  compute(20.0 * n / size);
}

static void pairwise(int step) { /* an all-to-all by hand, pair by pair */
  (void)step;
  compute(4e7 / size);
  for (int by = 1; by < size; ++by) exchange(n / size / size, rank ^ by, rank ^ by);
}

static void spectral(int step) { /* parameters from rank 0, two transposes, a sum */
  const int block = (int)((double)n * n / size / size);
  (void)step;
  MPI_Bcast(in, 32, MPI_DOUBLE, 0, world);
  compute(30.0 * n * n / size);
  MPI_Alltoall(out, 2 * block, MPI_DOUBLE, in, 2 * block, MPI_DOUBLE, world);
  compute(30.0 * n * n / size);
  MPI_Alltoall(out, 2 * block, MPI_DOUBLE, in, 2 * block, MPI_DOUBLE, world);
  MPI_Allreduce(out, in, 128, MPI_DOUBLE, MPI_SUM, world);
}

/* ---- groups and single ranks */

static void make_nodes(void) {
  MPI_Comm_split(world, rank / 4, rank, &row);
  MPI_Comm_split(world, rank % 4 == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
}

static void two_levels(int step) { /* sums by node, then among the first ranks of nodes */
  (void)step;
  compute(4e7 / size);
  MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_SUM, 0, row);
  if (rank % 4 == 0) MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, leaders);
  MPI_Bcast(in, n, MPI_DOUBLE, 0, row);
}

static void output(int step) { /* every few steps one rank gathers and writes */
  exchange(n / columns, (rank + columns) % size, (rank + size - columns) % size);
  compute(8.0 * n * n / size);
  if (step % 4 != 3) return;
  MPI_Gather(out, n * n / size / 16, MPI_DOUBLE, in, n * n / size / 16, MPI_DOUBLE, 0, world);
  if (rank == 0) compute(0.5 * n * n);
}

static void bookkeeping(int step) { /* a serial part that grows with the ranks */
  (void)step;
  compute(4e7 / size);
  if (rank == 0) compute(2e4 * size + 1e5);
  MPI_Bcast(in, n, MPI_DOUBLE, 0, world);
  MPI_Barrier(world);
}

static void broadcast_ahead(int step) { /* the next panel travels while this one is used */
  MPI_Request panel;
  MPI_Ibcast(in, 8 * n / rows, MPI_DOUBLE, step % columns, row, &panel);
  compute(16.0 * n / rows * n / columns);
  MPI_Wait(&panel, MPI_STATUS_IGNORE);
}

static void writers_in_turn(int step) { /* a token: each rank works on what is shared */
  (void)step;
  compute(4e7 / size);
  if (rank > 0) MPI_Recv(in, 1, MPI_INT, rank - 1, 3, world, MPI_STATUS_IGNORE);
  compute(5e4);
  if (rank + 1 < size) MPI_Send(out, 1, MPI_INT, rank + 1, 3, world);
  MPI_Barrier(world);
}

/* ---- unstructured meshes: cells anywhere in a square, each rank those of one part of it */

static double part_x(int part) {
  return (part % columns + 0.2 + 0.6 * chance(part, 1)) / columns;
}
static double part_y(int part) {
  return (part / columns + 0.2 + 0.6 * chance(part, 2)) / rows;
}

/* Parts are neighbours where their centres are close; the closer, the longer is the common edge. */
static int common_edge(int part, int other) {
  const double x = (part_x(part) - part_x(other)) * columns, y = (part_y(part) - part_y(other)) * rows;
  const double apart = x * x + y * y;
  return part == other || apart > 2 ? 0 : (int)(n / columns * (1.5 - 0.5 * apart) + 1);
}

static void with_neighbours(int (*count_of)(int, int)) {
  int open = 0;
  for (int other = 0; other < size; ++other) {
    const int count = count_of(rank, other);
    if (count > 0) MPI_Irecv(in, count, MPI_DOUBLE, other, 7, world, &requests[open++]);
  }
  for (int other = 0; other < size; ++other) {
    const int count = count_of(rank, other);
    if (count > 0) MPI_Isend(out, count, MPI_DOUBLE, other, 7, world, &requests[open++]);
  }
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
}

static void mesh(int step) { /* numbered row by row */
  (void)step;
  with_neighbours(common_edge);
  compute(40.0 * n * n / size * (0.95 + 0.1 * chance(rank, 3)));
}

/* Numbered as a tool divides a mesh: the halves of the halves. */
static int place_of(int part) {
  int row = 0, col = 0, r = rows, c = columns, p = size, at = part;
  while (p > 1) {
    const int high = at >= p / 2;
    if (high) at -= p / 2;
    if (c >= r) {
      c /= 2;
      if (high) col += c;
    } else {
      r /= 2;
      if (high) row += r;
    }
    p /= 2;
  }
  return row * columns + col;
}

static int edge_of_parts(int part, int other) {
  return common_edge(place_of(part), place_of(other));
}

static void mesh_of_parts(int step) { /* twice, and the sum of the residuals */
  (void)step;
  with_neighbours(edge_of_parts);
  compute(20.0 * n * n / size * (0.95 + 0.1 * chance(rank, 3)));
  with_neighbours(edge_of_parts);
  agree();
}

static const struct Program kPrograms[] = {{"mesh", make_grid, mesh},
                                           {"mesh_of_parts", make_grid, mesh_of_parts},
                                           {"box", make_box, box},
                                           {"levels", NULL, levels},
                                           {"red_black", NULL, red_black},
                                           {"particles", NULL, particles},
                                           {"second_neighbours", NULL, second_neighbours},
                                           {"octants", make_grid, octants},
                                           {"factorisation", split_grid, factorisation},
                                           {"times_vector", split_grid, times_vector},
                                           {"bodies", NULL, bodies},
                                           {"bitonic", NULL, bitonic},
                                           {"sample_sort", NULL, sample_sort},
                                           {"pairwise", NULL, pairwise},
                                           {"spectral", NULL, spectral},
                                           {"two_levels", make_nodes, two_levels},
                                           {"output", make_grid, output},
                                           {"bookkeeping", NULL, bookkeeping},
                                           {"broadcast_ahead", split_grid, broadcast_ahead},
                                           {"writers_in_turn", NULL, writers_in_turn}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
