/* Algorithms of solvers, data analysis and linear algebra that none of the other programs has; one is run:
 *
 *     algorithms NAME N STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "posted.h"

/* ---- a box with faces, edges and corners, and sums along its lines */

static MPI_Comm box, lines[3];
static int sides[3], place[3], around[27], faces_of[27], arounds;

static void make_box(void) {
  const int periods[3] = {1, 1, 0};
  MPI_Dims_create(size, 3, sides);
  MPI_Cart_create(world, 3, sides, periods, 0, &box);
  MPI_Cart_coords(box, rank, 3, place);
  for (int d = 0; d < 3; ++d) {
    const int keep[3] = {d == 0, d == 1, d == 2};
    MPI_Cart_sub(box, keep, &lines[d]);
  }
}

static void find_around(void) {
  make_box();
  for (int i = 0; i < 27; ++i) {
    int there[3] = {place[0] + i / 9 - 1, place[1] + i / 3 % 3 - 1, place[2] + i % 3 - 1};
    if (i == 13 || there[2] < 0 || there[2] >= sides[2]) continue;
    for (int d = 0; d < 2; ++d) there[d] = (there[d] + sides[d]) % sides[d];
    faces_of[arounds] = (i / 9 == 1) + (i / 3 % 3 == 1) + (i % 3 == 1);
    MPI_Cart_rank(box, there, &around[arounds++]);
  }
}

static void edges_and_corners(int step) {
  const int side = n / sides[0];
  double own = step, sum;
  for (int i = 0; i < arounds; ++i) {
    const int count = faces_of[i] == 2 ? side * side : faces_of[i] == 1 ? side : 1;
    MPI_Irecv(in, count, MPI_DOUBLE, around[i], MPI_ANY_TAG, box, &requests[open++]);
  }
  for (int i = 0; i < arounds; ++i) {
    const int count = faces_of[i] == 2 ? side * side : faces_of[i] == 1 ? side : 1;
    MPI_Isend(out, count, MPI_DOUBLE, around[i], i, box, &requests[open++]);
  }
  compute(20.0 * n * n * n / size);
  finish();
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, lines[2]);
}

/* ---- a method of Runge and Kutta: halos in each stage, sums of as many values as stages are known */

static void runge_kutta(int step) {
  const int width = n / columns, height = n / rows;
  (void)step;
  for (int stage = 1; stage <= 4; ++stage) {
    exchange(stage == 4 ? 2 * width : width, (at_row + 1) % rows * columns + at_column,
             (at_row + rows - 1) % rows * columns + at_column);
    exchange(height, at_row * columns + (at_column + 1) % columns,
             at_row * columns + (at_column + columns - 1) % columns);
    compute((20.0 + 5 * stage) * width * height);
    MPI_Allreduce(out, in, 8 * stage * stage, MPI_DOUBLE, MPI_SUM, world);
  }
}

/* ---- a sort by regular samples: all samples to one rank, splitters to all, uneven parts, a last merge */

static void regular_samples(int step) {
  static int given[256], taken[256], at[256], from[256];
  const int own = n / size;
  compute(15.0 * own);
  MPI_Gather(out, 2 * size, MPI_DOUBLE, in, 2 * size, MPI_DOUBLE, 0, world);
  if (rank == 0) compute(60.0 * size * size);
  MPI_Bcast(out, size - 1, MPI_DOUBLE, 0, world);
  for (int i = 0; i < size; ++i) {
    given[i] = (int)(own / size * (0.8 + 0.4 * chance(rank, i + step)));
    at[i] = i > 0 ? at[i - 1] + given[i - 1] : 0;
  }
  MPI_Alltoall(given, 1, MPI_INT, taken, 1, MPI_INT, world);
  for (int i = 0; i < size; ++i) from[i] = i > 0 ? from[i - 1] + taken[i - 1] : 0;
  MPI_Alltoallv(out, given, at, MPI_DOUBLE, in, taken, from, MPI_DOUBLE, world);
  compute(5.0 * (from[size - 1] + taken[size - 1]));
}

/* ---- bodies in a tree: what others need of each rank differs, and all get all of it */

static void essential_trees(int step) {
  static int counts[256], at[256];
  int all = 0;
  compute(200.0 * n / size);
  const int own = n / size / 8 + 16 + (rank % 4) * n / size / 32;
  (void)step;
  MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, world);
  for (int i = 0; i < size; ++i) {
    at[i] = all;
    all += counts[i];
  }
  MPI_Allgatherv(out, own, MPI_DOUBLE, in, counts, at, MPI_DOUBLE, world);
  compute(30.0 * all + 1000.0 * n / size);
  agree();
}

/* ---- red and black points by Gauss and Seidel, each colour as a wavefront of blocks through rows of ranks */

static void coloured_wavefronts(int step) {
  const int width = n / columns, height = n / rows;
  const int up = at_row > 0 ? rank - columns : MPI_PROC_NULL,
            down = at_row + 1 < rows ? rank + columns : MPI_PROC_NULL;
  const int left = at_column > 0 ? rank - 1 : MPI_PROC_NULL,
            right = at_column + 1 < columns ? rank + 1 : MPI_PROC_NULL;
  for (int colour = 0; colour < 2; ++colour) {
    for (int block = 0; block < 4; ++block) {
      take(width / 8, up);
      compute(5.0 * width * height / 8);
      give(width / 8, down);
    }
    post(height / 2, left, left, colour);
    post(height / 2, right, right, colour);
    finish();
  }
  if (step % 2 == 1) agree();
}

/* ---- factors of a matrix in cyclic blocks, with pivots: panels become shorter */

static void pivots_in_blocks(int step) {
  const int left = steps - step, block = 32, high = block * left * n / steps / 32 / rows;
  const int wide = block * left * n / steps / 32 / columns;
  const int at = step % columns, high_at = step % rows;
  if (at_column == at) {
    for (int k = 0; k < 4; ++k) {
      compute(8.0 * high);
      MPI_Allreduce(out, in, 2 * block / 4, MPI_DOUBLE, MPI_MAX, column);
    }
    compute(1.0 * high * block);
  }
  MPI_Bcast(out, high, MPI_DOUBLE, at, row);
  for (int by = 1; by < rows; by *= 2) {
    const int other = at_row ^ by;
    MPI_Sendrecv(out, wide / 4, MPI_DOUBLE, other, 0, in, wide / 4, MPI_DOUBLE, other, 0, column,
                 MPI_STATUS_IGNORE);
  }
  if (at_row == high_at) compute(1.0 * wide * block);
  MPI_Bcast(out, wide, MPI_DOUBLE, high_at, column);
  compute(2.0 * high * wide);
}

/* ---- clusters by k-means: centres from rank 0, sums and counts to it; in the end what belongs where */

static void k_means(int step) {
  const int clusters = 64, features = 16;
  MPI_Bcast(out, clusters * features, MPI_DOUBLE, 0, world);
  compute(3.0 * n / size * clusters);
  MPI_Reduce(out, in, clusters * features, MPI_DOUBLE, MPI_SUM, 0, world);
  MPI_Reduce(out, in, clusters, MPI_INT, MPI_SUM, 0, world);
  if (rank == 0) compute(10.0 * clusters * features);
  if (step + 1 == steps) MPI_Gather(out, n / size, MPI_INT, in, n / size, MPI_INT, 0, world);
}

/* ---- an all-to-all along the dimensions of a hypercube, with work on what came */

static void hypercube_exchange(int step) {
  (void)step;
  compute(100.0 * n / size);
  for (int by = 1; by < size; by *= 2) {
    post(n / 2 / size, rank ^ by, rank ^ by, 1);
    finish();
    compute(10.0 * n / size);
  }
}

/* ---- a sum of gradients around two rings of opposite directions, each with half of the values */

static void two_rings(int step) {
  const int next = (rank + 1) % size, last = (rank + size - 1) % size, part = n / 2 / size;
  (void)step;
  compute(400.0 * n / size);
  for (int turn = 0; turn < 2 * (size - 1); ++turn) {
    post(part, next, last, 1);
    post(part, last, next, 2);
    finish();
    if (turn < size - 1) compute(2.0 * part);
  }
}

/* ---- a stencil in planes; every third step rank 0 gets coarse pictures from all, and writes them */

static void snapshots(int step) {
  const int next = behind(), last = before();
  post(n, last, last, 0);
  post(n, next, next, 0);
  finish();
  compute(10.0 * n * n / size);
  if (step % 3 != 2) return;
  compute(1.0 * n * n / size);
  MPI_Gather(out, n * (n / 16) / size, MPI_FLOAT, in, n * (n / 16) / size, MPI_FLOAT, 0, world);
  if (rank == 0) compute(0.5 * n * n);
  MPI_Barrier(world);
}

/* ---- gossip: in each step everybody tells what it knows to somebody at a distance by chance */

static void gossip(int step) {
  const int far = 1 + (int)(chance(step, 7) * (size - 1));
  MPI_Request given;
  compute(2e6 / size);
  MPI_Isend(out, n, MPI_DOUBLE, (rank + far) % size, 9, world, &given);
  MPI_Recv(in, n, MPI_DOUBLE, MPI_ANY_SOURCE, 9, world, MPI_STATUS_IGNORE);
  compute(3.0 * n);
  MPI_Wait(&given, MPI_STATUS_IGNORE);
}

/* ---- a matrix product in a cube of ranks: both factors are spread along one dimension each, sums along the third */

static void product_in_a_cube(int step) {
  const int block = n / sides[0] * (n / sides[1]);
  (void)step;
  MPI_Bcast(in, block, MPI_DOUBLE, 0, lines[0]);
  MPI_Bcast(out, block, MPI_DOUBLE, 0, lines[1]);
  compute(2.0 * n * n / size * n);
  MPI_Reduce(out, in, block, MPI_DOUBLE, MPI_SUM, 0, lines[2]);
}

/* ---- steps in time at the same time: coarse ones go from rank to rank, fine ones run side by side */

static void parallel_in_time(int step) {
  compute(4e6);
  if (rank > 0) take(n, rank - 1);
  compute(1e4);
  if (rank + 1 < size) give(n, rank + 1);
  (void)step;
  agree();
}

/* ---- two meshes that overlap: each half of the ranks has one, ranks of both meet after each step */

static MPI_Comm mesh;

static void split_meshes(void) {
  MPI_Comm_split(world, rank % 2, rank, &mesh);
}

static void overlapping_meshes(int step) {
  double own = step, sum;
  compute((rank % 2 == 0 ? 3e6 : 2e6) / size);
  exchange(n, (rank + 2) % size, (rank + size - 2) % size);
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, mesh);
  exchange(n / 4, rank ^ 1, rank ^ 1);
  compute(2e5 / size);
}

int main(int argc, char** argv) {
  const struct Program programs[] = {{"edges_and_corners", find_around, edges_and_corners},
                                     {"runge_kutta", make_grid, runge_kutta},
                                     {"regular_samples", NULL, regular_samples},
                                     {"essential_trees", NULL, essential_trees},
                                     {"coloured_wavefronts", make_grid, coloured_wavefronts},
                                     {"pivots_in_blocks", split_grid, pivots_in_blocks},
                                     {"k_means", NULL, k_means},
                                     {"hypercube_exchange", NULL, hypercube_exchange},
                                     {"two_rings", NULL, two_rings},
                                     {"snapshots", NULL, snapshots},
                                     {"gossip", NULL, gossip},
                                     {"product_in_a_cube", make_box, product_in_a_cube},
                                     {"parallel_in_time", NULL, parallel_in_time},
                                     {"overlapping_meshes", split_meshes, overlapping_meshes}};
  return run_program(programs, sizeof programs / sizeof programs[0], argc, argv);
}
