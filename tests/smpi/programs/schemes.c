/* Parallel schemes of textbooks and benchmarks that none of the other programs has; one is run:
 *
 *     schemes NAME N STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "posted.h"

/* ---- relaxation by wavefronts, as NPB's LU: down the planes from one corner, back from the opposite one */

static int plane_beside(int down, int right) {
  const int r = at_row + down, c = at_column + right;
  return r < 0 || r >= rows || c < 0 || c >= columns ? MPI_PROC_NULL : r * columns + c;
}

static void sweep(int by) {
  const int x = n / columns, y = n / rows;
  for (int k = 0; k < n / 4; ++k) {
    take(5 * x, plane_beside(-by, 0));
    take(5 * y, plane_beside(0, -by));
    compute(80.0 * x * y);
    give(5 * x, plane_beside(by, 0));
    give(5 * y, plane_beside(0, by));
  }
}

static void wavefronts(int step) {
  const int x = n / columns, y = n / rows;
  (void)step;
  sweep(1);
  sweep(-1);
  for (int by = -1; by <= 1; by += 2) {
    exchange(10 * y * n / 4, plane_beside(0, by), plane_beside(0, -by));
    exchange(10 * x * n / 4, plane_beside(by, 0), plane_beside(-by, 0));
  }
  compute(200.0 * x * y * n / 4);
  agree();
}

/* ---- a matrix product in layers (2.5D): copies are spread, blocks travel in each layer, layers are added */

static MPI_Comm layers, depth;
static int sides[3], place[3];

static void make_layers(void) {
  const int around[3] = {1, 1, 1}, along[3] = {1, 0, 0};
  sides[0] = size >= 32 ? 4 : 2;
  for (sides[1] = 1; sides[0] * sides[1] * sides[1] * 2 <= size; sides[1] *= 2) continue;
  if (sides[0] * sides[1] * sides[1] > size) sides[1] /= 2;
  sides[2] = size / sides[0] / sides[1];
  MPI_Cart_create(world, 3, sides, around, 0, &layers);
  MPI_Cart_coords(layers, rank, 3, place);
  MPI_Cart_sub(layers, along, &depth);
}

static void layered_product(int step) {
  const int block = n / sides[1] * (n / sides[2]), turns = sides[2] / sides[0] > 0 ? sides[2] / sides[0] : 1;
  (void)step;
  MPI_Bcast(in, block, MPI_DOUBLE, 0, depth);
  MPI_Bcast(out, block, MPI_DOUBLE, 0, depth);
  for (int turn = 0; turn < turns; ++turn) {
    int from, to;
    compute(2.0 * block * (n / (double)sides[2]));
    MPI_Cart_shift(layers, 2, -1, &from, &to);
    MPI_Sendrecv_replace(in, block, MPI_DOUBLE, to, 1, from, 1, layers, MPI_STATUS_IGNORE);
    MPI_Cart_shift(layers, 1, -1, &from, &to);
    MPI_Sendrecv_replace(out, block, MPI_DOUBLE, to, 2, from, 2, layers, MPI_STATUS_IGNORE);
  }
  MPI_Reduce(out, in, block, MPI_DOUBLE, MPI_SUM, 0, depth);
}

/* ---- a dense matrix times a vector again and again: gathered along columns, added up along rows */

static void power_iteration(int step) {
  double own = step, norm;
  MPI_Allgather(in, n / size, MPI_DOUBLE, out, n / size, MPI_DOUBLE, column);
  compute(2.0 * n / rows * (n / (double)columns));
  MPI_Reduce_scatter_block(out, in, n / size, MPI_DOUBLE, MPI_SUM, row);
  MPI_Allreduce(&own, &norm, 1, MPI_DOUBLE, MPI_SUM, world);
  compute(4.0 * n / size);
}

/* ---- cells are refined in the middle half of the domain: there are two fine steps in a coarse one */

static void beside(int count) {
  post(count, before(), before(), 0);
  post(count, behind(), behind(), 0);
  finish();
}

static void refined_middle(int step) {
  const int fine = rank >= size / 4 && rank < size - size / 4;
  (void)step;
  beside(n);
  compute(2e6 / size);
  if (fine)
    for (int half = 0; half < 2; ++half) {
      post(2 * n, rank > size / 4 ? before() : -1, rank > size / 4 ? before() : -1, 1);
      post(2 * n, rank + 1 < size - size / 4 ? behind() : -1, rank + 1 < size - size / 4 ? behind() : -1, 1);
      finish();
      compute(4e6 / size);
    }
  beside(n / 2);
  agree();
}

/* ---- a barrier by hand, up a binary tree and down again, around short exchanges */

static void barrier_by_hand(int step) {
  const int children[2] = {2 * rank + 1, 2 * rank + 2};
  compute(1000.0 * n / size);
  for (int i = 0; i < 2; ++i)
    if (children[i] < size) take(0, children[i]);
  if (rank > 0) {
    give(0, (rank - 1) / 2);
    take(0, (rank - 1) / 2);
  }
  for (int i = 0; i < 2; ++i)
    if (children[i] < size) give(0, children[i]);
  exchange(n / 8, (rank + 1) % size, (rank + size - 1) % size);
  (void)step;
}

/* ---- quicksort on a hypercube: ever smaller cubes agree on a pivot, halves of them exchange */

static MPI_Comm cubes[16];
static int dimensions;

static void split_cubes(void) {
  for (dimensions = 0; 1 << (dimensions + 1) <= size; ++dimensions)
    MPI_Comm_split(world, rank / (size >> dimensions), rank, &cubes[dimensions]);
}

static void hypercube_sort(int step) {
  const int own = n / size;
  (void)step;
  compute(30.0 * own);
  for (int d = 0; d < dimensions; ++d) {
    const int partner = rank ^ (size >> (d + 1));
    MPI_Bcast(in, 1, MPI_DOUBLE, 0, cubes[d]);
    compute(4.0 * own);
    exchange(own / 2, partner, partner);
    compute(6.0 * own);
  }
}

/* ---- a halo of two dimensions by puts, in epochs that neighbours open and close */

static MPI_Win window;
static MPI_Group near;
static int near_ranks[4], near_count;

static void make_epochs(void) {
  MPI_Group all;
  make_grid();
  near_count = 0;
  for (int way = 0; way < 4; ++way) {
    const int other = plane_beside(way == 0 ? -1 : way == 1, way == 2 ? -1 : way == 3);
    if (other != MPI_PROC_NULL) near_ranks[near_count++] = other;
  }
  MPI_Win_create(in, BYTES, 8, MPI_INFO_NULL, world, &window);
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, near_count, near_ranks, &near);
}

static void put_halo(int step) {
  (void)step;
  compute(20.0 * n * n / size);
  MPI_Win_post(near, 0, window);
  MPI_Win_start(near, 0, window);
  for (int i = 0; i < near_count; ++i)
    MPI_Put(out, n / rows, MPI_DOUBLE, near_ranks[i], 0, n / rows, MPI_DOUBLE, window);
  compute(10.0 * n * n / size);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
}

/* ---- a matrix product by panels, of which the next ones are on their way while one is multiplied (SUMMA) */

static void panels_ahead(int step) {
  MPI_Request ahead[2];
  const int panel = n / 16;
  (void)step;
  MPI_Bcast(in, panel * (n / rows), MPI_DOUBLE, 0, row);
  MPI_Bcast(out, panel * (n / columns), MPI_DOUBLE, 0, column);
  for (int k = 1; k <= 4; ++k) {
    MPI_Ibcast(in, panel * (n / rows), MPI_DOUBLE, k % columns, row, &ahead[0]);
    MPI_Ibcast(out, panel * (n / columns), MPI_DOUBLE, k % rows, column, &ahead[1]);
    compute(2.0 * panel * (n / (double)rows) * (n / (double)columns));
    MPI_Waitall(2, ahead, MPI_STATUSES_IGNORE);
  }
  compute(2.0 * panel * (n / (double)rows) * (n / (double)columns));
}

/* ---- rank 0 hands out parts of which some are longer by one, and takes them back */

static int counts[4096], places[4096];

static void uneven_parts(void) {
  for (int i = 0, at = 0; i < size; at += counts[i++]) {
    counts[i] = n / size + (i < n % size);
    places[i] = at;
  }
}

static void there_and_back(int step) {
  (void)step;
  MPI_Scatterv(out, counts, places, MPI_DOUBLE, in, counts[rank], MPI_DOUBLE, 0, world);
  compute(300.0 * counts[rank]);
  MPI_Gatherv(in, counts[rank], MPI_DOUBLE, out, counts, places, MPI_DOUBLE, 0, world);
  if (rank == 0) compute(n);
}

/* ---- training with spread optimizer state: gradients are added and spread, weights are gathered */

static void spread_optimizer(int step) {
  (void)step;
  for (int layer = 0; layer < 4; ++layer) {
    compute(2e7 / size);
    MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, world);
  }
  compute(20.0 * counts[rank]);
  for (int layer = 0; layer < 4; ++layer)
    MPI_Allgatherv(in, counts[rank], MPI_DOUBLE, out, counts, places, MPI_DOUBLE, world);
}

/* ---- groups of ranks as large as there are groups gather what their first ranks give to rank 0, now and then */

static MPI_Comm group, firsts;

static void make_groups(void) {
  split_grid();
  MPI_Comm_dup(row, &group);
  MPI_Comm_split(world, at_column == 0 ? 0 : MPI_UNDEFINED, rank, &firsts);
}

static void gathered_in_groups(int step) {
  exchange(n, (rank + 1) % size, (rank + size - 1) % size);
  compute(1e7 / size);
  if (step % 3 != 2) return;
  MPI_Gather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, 0, group);
  if (at_column == 0) {
    compute(20.0 * n * columns);
    MPI_Gather(out, n * columns, MPI_DOUBLE, in, n * columns, MPI_DOUBLE, 0, firsts);
  }
  agree();
}

/* ---- lists are merged up a tree: every second rank gives what it has, which doubles each time */

static void merged_lists(int step) {
  (void)step;
  compute(20.0 * n / size);
  for (int by = 1, own = n / size; by < size; by *= 2, own *= 2) {
    if (rank & by) {
      give(own, rank - by);
      break;
    }
    if (rank + by < size) take(own, rank + by);
    compute(4.0 * own);
  }
  MPI_Bcast(out, 16, MPI_DOUBLE, 0, world);
}

/* ---- a transform in three dimensions of which each rank has pencils: three turns, uneven shares */

static int share_of(int all, int parts, int part) {
  return all * (part + 1) / parts - all * part / parts;
}

static void turn_pencils(MPI_Comm among, int parts, int part, int length) {
  static int given[256], taken[256], at[256], from[256];
  for (int i = 0; i < parts; ++i) {
    given[i] = share_of(n, parts, i) * share_of(n, parts, part) * length;
    taken[i] = share_of(n, parts, part) * share_of(n, parts, i) * length;
    at[i] = i > 0 ? at[i - 1] + given[i - 1] : 0;
    from[i] = i > 0 ? from[i - 1] + taken[i - 1] : 0;
  }
  MPI_Alltoallv(out, given, at, MPI_DOUBLE, in, taken, from, MPI_DOUBLE, among);
}

static void uneven_pencils(int step) {
  (void)step;
  compute(40.0 * n * n * n / size);
  turn_pencils(row, columns, at_column, share_of(n, rows, at_row) * 2);
  compute(40.0 * n * n * n / size);
  turn_pencils(column, rows, at_row, share_of(n, columns, at_column) * 2);
  compute(40.0 * n * n * n / size);
}

int main(int argc, char** argv) {
  const struct Program programs[] = {{"wavefronts", make_grid, wavefronts},
                                     {"layered_product", make_layers, layered_product},
                                     {"power_iteration", split_grid, power_iteration},
                                     {"refined_middle", NULL, refined_middle},
                                     {"barrier_by_hand", NULL, barrier_by_hand},
                                     {"hypercube_sort", split_cubes, hypercube_sort},
                                     {"put_halo", make_epochs, put_halo},
                                     {"panels_ahead", split_grid, panels_ahead},
                                     {"there_and_back", uneven_parts, there_and_back},
                                     {"spread_optimizer", uneven_parts, spread_optimizer},
                                     {"gathered_in_groups", make_groups, gathered_in_groups},
                                     {"merged_lists", NULL, merged_lists},
                                     {"uneven_pencils", split_grid, uneven_pencils}};
  return run_program(programs, sizeof programs / sizeof programs[0], argc, argv);
}
