/* Kernels of numerical programs, as textbooks have them; one is run:
 *
 *     kernels NAME N STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

#include <math.h>

static MPI_Comm part; /* a communicator of some ranks */

/* ---- permutations and exchanges at a distance */

static int around(int place, int extent) {
  return (place % extent + extent) % extent;
}

static void cannon_skewed(int step) { /* blocks are skewed, then travel along rows and columns */
  const int row_first = at_row * columns;
  (void)step;
  exchange(n, row_first + around(at_column - at_row, columns),
           row_first + around(at_column + at_row, columns));
  exchange(n, around(at_row - at_column, rows) * columns + at_column,
           around(at_row + at_column, rows) * columns + at_column);
  for (int i = 0; i < columns; ++i) {
    compute(4e7 / size / columns);
    exchange(n, row_first + around(at_column - 1, columns), row_first + around(at_column + 1, columns));
    exchange(n, around(at_row - 1, rows) * columns + at_column,
             around(at_row + 1, rows) * columns + at_column);
  }
}

static int reversed(int value) {
  int bits = 0;
  for (int bit = 1; bit < size; bit *= 2) {
    bits = 2 * bits + value % 2;
    value /= 2;
  }
  return bits;
}

static void butterfly(int step) { /* a Fourier transform: bits reversed, then one exchange for each bit */
  (void)step;
  if (reversed(rank) != rank) exchange(n / size, reversed(rank), reversed(rank));
  for (int by = 1; by < size; by *= 2) {
    exchange(n / size, rank ^ by, rank ^ by);
    compute(100.0 * n / size);
  }
}

static void bruck(int step) { /* an all-to-all in as many exchanges as the number of ranks has bits */
  (void)step;
  compute(100.0 * n / size);
  for (int by = 1; by < size; by *= 2)
    exchange(n / size * (size / 2), (rank + by) % size, (rank + size - by) % size);
}

static void odd_even_sort(int step) { /* neighbours merge their keys, as often as there are ranks */
  (void)step;
  for (int phase = 0; phase < size; ++phase) {
    const int partner = (rank + phase) % 2 == 0 ? rank + 1 : rank - 1;
    if (partner < 0 || partner >= size) continue;
    exchange(n / size, partner, partner);
    compute(20.0 * n / size);
  }
}

/* ---- collectives */

static void shares(int step) { /* some ranks have one row more */
  static int counts[4096], places[4096];
  (void)step;
  for (int i = 0, place = 0; i < size; place += counts[i++]) {
    counts[i] = n / size + (i < n % size);
    places[i] = place;
  }
  compute(200.0 * counts[rank]);
  MPI_Allgatherv(out, counts[rank], MPI_DOUBLE, in, counts, places, MPI_DOUBLE, world);
}

static void scattered_sums(int step) {
  (void)step;
  compute(200.0 * n / size);
  MPI_Reduce_scatter_block(out, in, n / size, MPI_DOUBLE, MPI_SUM, world);
}

static void split_odd_and_even(void) {
  MPI_Comm_split(world, rank % 2, rank, &part);
}

static void odd_and_even(int step) { /* sums of each half, which the pairs then compare */
  (void)step;
  compute((rank % 2 ? 3e7 : 2e7) / size);
  MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, part);
  exchange(n, rank ^ 1, rank ^ 1);
}

static void more_iterations(int step) { /* the solver needs more of them on larger grids */
  const int most = (int)(4 * sqrt(size) + 0.5);
  (void)step;
  for (int i = 0; i < most; ++i) {
    compute(1e7 / size);
    agree();
  }
}

/* ---- groups with work of their own */

static void producers(int step) { /* the first half computes, the second one takes what it computed */
  const int half = size / 2;
  (void)step;
  if (rank < half) {
    compute(4e7 / size);
    MPI_Send(out, n, MPI_DOUBLE, rank + half, 1, world);
  } else {
    MPI_Recv(in, n, MPI_DOUBLE, rank - half, 1, world, MPI_STATUS_IGNORE);
    compute(3e7 / size);
  }
}

static void aggregators(int step) { /* one of four ranks writes for all of them, every other step */
  compute(4e7 / size);
  agree();
  if (step % 2 == 1) return;
  if (rank % 4 != 0) {
    MPI_Send(out, n, MPI_DOUBLE, rank / 4 * 4, 2, world);
    return;
  }
  for (int other = rank + 1; other < rank + 4; ++other)
    MPI_Recv(in, n, MPI_DOUBLE, other, 2, world, MPI_STATUS_IGNORE);
  compute(10.0 * n);
}

static void triangle(int step) { /* each rank has the pairs of its rows with all later ones */
  (void)step;
  compute(4e7 / size * (2.0 * (size - rank) - 1) / size);
  agree();
}

static void two_materials(int step) { /* cells in the first third of the domain take twice as long */
  (void)step;
  compute(4e7 / size * (3 * rank < size ? 2 : 1));
  exchange(n, (rank + 1) % size, (rank + size - 1) % size);
}

static void every_fourth(int step) { /* halos as wide as four steps need */
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, behind = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  if (step % 4 == 0) {
    exchange(4 * n, before, behind);
    exchange(4 * n, behind, before);
  }
  compute(2e7 / size);
  if (step % 4 == 3) agree();
}

static void longer_rows(int step) { /* rank r sends its part of a triangle to the next one */
  (void)step;
  compute(2e7 / size);
  MPI_Sendrecv(out, n / size * (rank + 1), MPI_DOUBLE, (rank + 1) % size, 0, in, n, MPI_DOUBLE,
               (rank + size - 1) % size, 0, world, MPI_STATUS_IGNORE);
}

static MPI_Win window;

static void make_window(void) {
  MPI_Win_create(out, BYTES, 1, MPI_INFO_NULL, world, &window);
  MPI_Win_lock_all(0, window);
}

static void gets(int step) { /* everybody reads from the next ranks whenever it wants to */
  (void)step;
  for (int by = 1; by <= 2; ++by) {
    MPI_Get(in, n, MPI_DOUBLE, (rank + by) % size, 0, n, MPI_DOUBLE, window);
    MPI_Win_flush((rank + by) % size, window);
    compute(1e7 / size);
  }
  agree();
}

static const struct Program kPrograms[] = {{"cannon_skewed", make_grid, cannon_skewed},
                                           {"butterfly", NULL, butterfly},
                                           {"bruck", NULL, bruck},
                                           {"odd_even_sort", NULL, odd_even_sort},
                                           {"shares", NULL, shares},
                                           {"scattered_sums", NULL, scattered_sums},
                                           {"odd_and_even", split_odd_and_even, odd_and_even},
                                           {"more_iterations", NULL, more_iterations},
                                           {"producers", NULL, producers},
                                           {"aggregators", NULL, aggregators},
                                           {"triangle", NULL, triangle},
                                           {"two_materials", NULL, two_materials},
                                           {"every_fourth", NULL, every_fourth},
                                           {"longer_rows", NULL, longer_rows},
                                           {"gets", make_window, gets}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
