/* What real codes do from one time step to the next, in small; one is run:
 *
 *     codes NAME N STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "posted.h"

/* ---- a box of ranks, x fastest */

static int extent[3], at[3];
static MPI_Comm layer, line; /* ranks with the same z; with the same x and y */

static void make_box(void) {
  extent[0] = extent[1] = extent[2] = 1;
  for (int i = 0, left = size; left > 1; left /= 2) extent[i++ % 3] *= 2;
  at[0] = rank % extent[0];
  at[1] = rank / extent[0] % extent[1];
  at[2] = rank / extent[0] / extent[1];
  MPI_Comm_split(world, at[2], rank, &layer);
  MPI_Comm_split(world, rank % (extent[0] * extent[1]), rank, &line);
}

static int beside(int d, int by) { /* none beyond an edge */
  const int stride = d == 0 ? 1 : d == 1 ? extent[0] : extent[0] * extent[1];
  return at[d] + by < 0 || at[d] + by >= extent[d] ? MPI_PROC_NULL : rank + by * stride;
}

static int cells(int d) {
  return n / extent[d];
}

static void atmosphere(
    int step) { /* halos, columns summed up, layers transformed, from time to time all agree */
  for (int d = 0; d < 3; ++d)
    for (int by = -1; by <= 1; by += 2)
      post(cells((d + 1) % 3) * cells((d + 2) % 3), beside(d, by), beside(d, by), d);
  finish();
  compute(200.0 * cells(0) * cells(1) * cells(2));
  MPI_Allreduce(out, in, cells(0) * cells(1), MPI_DOUBLE, MPI_SUM, line);
  MPI_Alltoall(out, cells(0) * cells(1) * cells(2) / (extent[0] * extent[1]), MPI_DOUBLE, in,
               cells(0) * cells(1) * cells(2) / (extent[0] * extent[1]), MPI_DOUBLE, layer);
  compute(100.0 * cells(0) * cells(1) * cells(2));
  if (step % 5 == 4) agree();
}

static void window_halo(int step) { /* faces are put into the neighbours' windows */
  static MPI_Win window;
  if (step == 0) MPI_Win_create(in, BYTES, 1, MPI_INFO_NULL, world, &window);
  MPI_Win_fence(0, window);
  for (int d = 0; d < 3; ++d)
    for (int by = -1; by <= 1; by += 2)
      if (beside(d, by) >= 0)
        MPI_Put(out, cells((d + 1) % 3) * cells((d + 2) % 3), MPI_DOUBLE, beside(d, by), 0,
                cells((d + 1) % 3) * cells((d + 2) % 3), MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  compute(300.0 * cells(0) * cells(1) * cells(2));
  if (step + 1 == steps) MPI_Win_free(&window);
}

static void newton(
    int step) { /* a linear solver in each step of a nonlinear one, fewer iterations each time */
  const int iterations[] = {14, 11, 9, 7, 6, 5};
  for (int i = 0; i < iterations[step % 6]; ++i) {
    for (int d = 0; d < 3; ++d)
      for (int by = -1; by <= 1; by += 2)
        post(cells((d + 1) % 3) * cells((d + 2) % 3), beside(d, by), beside(d, by), d);
    compute(30.0 * cells(0) * cells(1) * cells(2));
    finish();
    agree();
    compute(10.0 * cells(0) * cells(1) * cells(2));
    agree();
  }
  for (int half = 0; half <= step % 2; ++half) { /* the step is shortened until it is good */
    compute(20.0 * cells(0) * cells(1) * cells(2));
    agree();
  }
}

/* ---- lists of neighbours */

static int listed[64], neighbours, shared[64];

static void partition(void) { /* parts of a mesh along a curve: the next ones, and some across */
  for (int by = -3; by <= 3; ++by)
    if (by != 0 && rank + by >= 0 && rank + by < size) {
      listed[neighbours] = rank + by;
      shared[neighbours++] = n / size / (abs(by) + 1);
    }
  for (int other = 0; other < size; ++other) {
    const int low = rank < other ? rank : other, high = rank < other ? other : rank;
    if (high - low > 3 && neighbours < 64 && chance(low, high) < 3.0 / size) {
      listed[neighbours] = other;
      shared[neighbours++] = n / size / 8;
    }
  }
}

static void unstructured(int step) { /* a sparse matrix times a vector, until the residual is small */
  (void)step;
  for (int i = 0; i < neighbours; ++i) post(shared[i], listed[i], listed[i], 1);
  compute(1e7 / size);
  finish();
  compute(3e7 / size);
  agree();
}

static void migration(int step) { /* particles that left a block: how many for each rank, then all of them */
  static int counts[4096], places[4096], come[4096], come_places[4096];
  compute(4e7 / size * (0.9 + 0.2 * chance(rank, step)));
  for (int i = 0; i < size; ++i) {
    const int away = abs(i - rank);
    counts[i] = away == 0 || away > 4 ? 0 : (int)(n / size / away * (0.5 + chance(rank * 31 + i, step)));
  }
  MPI_Alltoall(counts, 1, MPI_INT, come, 1, MPI_INT, world);
  for (int i = 0, there = 0, here = 0; i < size; there += counts[i], here += come[i++]) {
    places[i] = there;
    come_places[i] = here;
  }
  MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, come, come_places, MPI_DOUBLE, world);
}

/* ---- ranks with tasks of their own */

static MPI_Comm node, heads, workers;

static void make_nodes(void) { /* of four ranks */
  MPI_Comm_split(world, rank / 4, rank, &node);
  MPI_Comm_split(world, rank % 4 == 0 ? 0 : MPI_UNDEFINED, rank, &heads);
}

static void by_nodes(int step) { /* sums in two levels; the first rank of each node talks to the next nodes */
  (void)step;
  compute(4e7 / size);
  MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_SUM, 0, node);
  if (rank % 4 == 0) {
    const int next = (rank + 4) % size, last = (rank + size - 4) % size;
    exchange(n, next, last);
    exchange(n, last, next);
    MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, heads);
  }
  MPI_Bcast(in, n, MPI_DOUBLE, 0, node);
}

static void make_workers(void) { /* one rank of four writes what the three before it have */
  MPI_Comm_split(world, rank % 4 == 3, rank, &workers);
}

static void written_by_some(int step) {
  const int writer = rank % 4 == 3;
  if (!writer) {
    double own = 1, sum;
    compute(3e7 / size);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, workers);
  }
  if (step % 3 != 2) return;
  if (!writer) {
    give(n / size, rank / 4 * 4 + 3);
    return;
  }
  for (int i = 3; i > 0; --i) take(n / size, rank - i);
  compute(1e5 + 1e7 / size);
}

static const struct Program kPrograms[] = {{"atmosphere", make_box, atmosphere},
                                           {"window_halo", make_box, window_halo},
                                           {"newton", make_box, newton},
                                           {"unstructured", partition, unstructured},
                                           {"migration", NULL, migration},
                                           {"by_nodes", make_nodes, by_nodes},
                                           {"written_by_some", make_workers, written_by_some}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
