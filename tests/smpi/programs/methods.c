/* Numerical methods as their codes spread them over ranks, in small; one is run:
 *
 *     methods NAME N STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "posted.h"

enum { MOST_RANKS = 1024 };
static int counts[MOST_RANKS], places[MOST_RANKS], come[MOST_RANKS], come_places[MOST_RANKS];

/* Of `of` things dealt in blocks to `parts`: how many the part `i` has. */
static int share(int of, int parts, int i) {
  return of / parts + (i < of % parts);
}

/* ---- a Fourier transform of n * n points, whose rows and columns do not divide evenly */

static void transpose(MPI_Comm across, int mine, int theirs, int parts, int i) {
  int there = 0, here = 0;
  for (int j = 0; j < parts; ++j) {
    counts[j] = 2 * share(mine, parts, j) * share(theirs, parts, i);
    come[j] = 2 * share(mine, parts, i) * share(theirs, parts, j);
    places[j] = there;
    come_places[j] = here;
    there += counts[j];
    here += come[j];
  }
  MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, come, come_places, MPI_DOUBLE, across);
}

static void fourier(int step) {
  const int mine = share(n, rows, at_row), points = mine * share(n, columns, at_column);
  compute(50.0 * points);
  transpose(row, n, mine, columns, at_column);
  compute(50.0 * points);
  transpose(column, n, share(n, columns, at_column), rows, at_row);
  compute(10.0 * points);
  transpose(row, n, mine, columns, at_column);
  if (step % 4 == 3) agree();
}

/* ---- keys into buckets whose borders are searched for */

static void histogram_sort(int step) {
  int probes = 8;
  compute(5e2 * n / size);
  for (int round = 0; round < 4; ++round, probes *= 2) {
    if (rank == 0) compute(1e3 * probes);
    MPI_Bcast(in, probes, MPI_DOUBLE, 0, world);
    compute(20.0 * n / size);
    MPI_Allreduce(out, in, probes, MPI_DOUBLE, MPI_SUM, world);
  }
  for (int i = 0; i < size; ++i)
    counts[i] = (int)(n / size / size * (0.9 + 0.2 * chance(rank * 7 + i, step)));
  MPI_Alltoall(counts, 1, MPI_INT, come, 1, MPI_INT, world);
  for (int i = 0, there = 0, here = 0; i < size; there += counts[i], here += come[i++]) {
    places[i] = there;
    come_places[i] = here;
  }
  MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, come, come_places, MPI_DOUBLE, world);
  compute(2e2 * n / size);
}

/* ---- conjugate gradients as in NPB: sums along the rows of a grid of ranks, then the transposed one */

static void transposed_cg(int step) {
  (void)step;
  static int across, partners[16], levels;
  if (step == 0) {
    across = columns == rows ? rank % rows * rows + rank / rows
                             : 2 * (rank / 2 % rows * rows + rank / 2 / rows) + rank % 2;
    for (int i = 1; i < columns; i *= 2) partners[levels++] = at_row * columns + (at_column ^ i);
  }
  for (int i = 0; i < 10; ++i) {
    compute(300.0 * n / size);
    for (int level = levels - 1; level >= 0; --level) {
      post(n / rows, partners[level], partners[level], 1);
      finish();
      compute(1.0 * n / rows);
    }
    post(n / columns, across, across, 2);
    finish();
    for (int sums = 0; sums < 2; ++sums) {
      compute(4.0 * n / columns);
      for (int level = 0; level < levels; ++level) exchange(1, partners[level], partners[level]);
    }
  }
  agree();
}

/* ---- multigrid on a box of ranks: a coarse level lies on every other rank along each dimension */

static int extent[3], at[3];

static void make_box(void) {
  extent[0] = extent[1] = extent[2] = 1;
  for (int i = 0, left = size; left > 1; left /= 2) extent[i++ % 3] *= 2;
  at[0] = rank % extent[0];
  at[1] = rank / extent[0] % extent[1];
  at[2] = rank / extent[0] / extent[1];
}

static int place(int d, int by) { /* the rank `by` farther along a dimension; around */
  int there[3] = {at[0], at[1], at[2]};
  there[d] = (at[d] + by + extent[d]) % extent[d];
  return (there[2] * extent[1] + there[1]) * extent[0] + there[0];
}

static int cells(int level, int d) {
  const int all = n >> level;
  return all > extent[d] ? all / extent[d] : 1;
}

static int distance(int level, int d) { /* to the next rank that has cells */
  const int all = n >> level;
  return all >= extent[d] ? 1 : extent[d] / all;
}

static int has_cells(int level) {
  for (int d = 0; d < 3; ++d)
    if (at[d] % distance(level, d) != 0) return 0;
  return 1;
}

static void relax(int level, double flops) {
  for (int d = 0; d < 3; ++d) {
    const int by = distance(level, d), face = cells(level, (d + 1) % 3) * cells(level, (d + 2) % 3);
    if (extent[d] / by < 2) continue;
    post(face, place(d, by), place(d, -by), 1);
    post(face, place(d, -by), place(d, by), 2);
    finish();
  }
  compute(flops * cells(level, 0) * cells(level, 1) * cells(level, 2));
}

static void multigrid(int step) {
  int coarsest = 0;
  while (n >> (coarsest + 1) >= 2) ++coarsest;
  for (int level = 0; level < coarsest; ++level)
    if (has_cells(level)) relax(level, 40);
  for (int level = coarsest; level >= 0; --level)
    if (has_cells(level)) relax(level, 60);
  if (step % 2 == 1) agree();
}

/* ---- bodies: half of the ring is enough, as forces are mutual */

static void mutual_forces(int step) {
  const int mine = share(n, size, rank), most = share(n, size, 0);
  compute(20.0 * mine * mine / 2);
  for (int far = 1; far <= size / 2; ++far) {
    post(4 * most, behind() < 0 ? 0 : behind(), before() < 0 ? size - 1 : before(), 1);
    compute(20.0 * mine * most);
    finish();
  }
  exchange(3 * most, (rank + size - size / 2) % size, (rank + size / 2) % size);
  compute(30.0 * mine);
  if (step == steps - 1) MPI_Reduce(out, in, 3, MPI_DOUBLE, MPI_SUM, 0, world);
}

/* ---- products of matrices: panels of a fixed width, which their owner sends along its row and its column */

static void product(int step) {
  (void)step;
  const int wide = 64, panels = n / wide;
  for (int k = 0; k < panels; ++k) {
    MPI_Bcast(in, n / rows * wide, MPI_DOUBLE, k * columns / panels, row);
    MPI_Bcast(out, n / columns * wide, MPI_DOUBLE, k * rows / panels, column);
    compute(2.0 * wide * n / rows * n / columns);
  }
}

/* ---- Gaussian elimination, blocks dealt to a grid of ranks in turns */

static int dealt(int from, int parts, int i) { /* of the blocks from `from` on, those of the part i */
  int mine = 0;
  for (int k = from; k < n; ++k) mine += k % parts == i;
  return mine;
}

static void elimination(int k) {
  const int wide = 32, to_right = dealt(k + 1, columns, at_column), below = dealt(k + 1, rows, at_row);
  double pivot[2] = {0, 0}, largest[2];
  if (at_column == k % columns)
    for (int i = 0; i < 4; ++i) {
      compute(10.0 * wide * wide * below);
      MPI_Allreduce(pivot, largest, 2, MPI_DOUBLE, MPI_MAX, column);
    }
  MPI_Bcast(in, wide * wide * (1 + dealt(k + 1, rows, at_row)), MPI_DOUBLE, k % columns, row);
  if (at_row == k % rows) compute(1.0 * wide * wide * wide * to_right);
  if (to_right > 0) MPI_Bcast(out, wide * wide * to_right, MPI_DOUBLE, k % rows, column);
  compute(2.0 * wide * wide * wide * to_right * below);
}

/* ---- a matrix times a vector of which everybody needs all, rows do not divide evenly */

static void dense_jacobi(int step) {
  for (int i = 0, there = 0; i < size; there += counts[i++]) {
    counts[i] = share(n, size, i);
    places[i] = there;
  }
  compute(2.0 * n * share(n, size, rank));
  MPI_Allgatherv(out, share(n, size, rank), MPI_DOUBLE, in, counts, places, MPI_DOUBLE, world);
  if (step % 3 == 0) {
    compute(2.0 * share(n, size, rank));
    agree();
  }
}

/* ---- factors of a tall matrix: two triangles become one, up a tree; the result goes down again */

static void tall_factors(int step) {
  (void)step;
  const int triangle = n * (n + 1) / 2;
  int level = 1;
  compute(4e7 / size);
  for (; level < size && (rank & level) == 0; level *= 2)
    if (rank + level < size) {
      take(triangle, rank + level);
      compute(2.0 * n * n * n / 3);
    }
  if (level < size) {
    give(triangle, rank - level);
    take(n * n, rank - level);
  }
  for (level /= 2; level > 0; level /= 2)
    if (rank + level < size) {
      compute(1.0 * n * n * n);
      give(n * n, rank + level);
    }
  compute(2e7 / size);
}

int main(int argc, char** argv) {
  const struct Program programs[] = {{"fourier", split_grid, fourier},
                                     {"histogram_sort", NULL, histogram_sort},
                                     {"transposed_cg", make_grid, transposed_cg},
                                     {"multigrid", make_box, multigrid},
                                     {"mutual_forces", NULL, mutual_forces},
                                     {"product", split_grid, product},
                                     {"elimination", split_grid, elimination},
                                     {"dense_jacobi", NULL, dense_jacobi},
                                     {"tall_factors", NULL, tall_factors}};
  return run_program(programs, sizeof programs / sizeof programs[0], argc, argv);
}
