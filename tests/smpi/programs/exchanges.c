/* Ways in which programs exchange data, in small; one is run:
 *
 *     exchanges NAME N STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

static MPI_Comm part, heads;
static MPI_Request requests[4096];

static void farther(int step) { /* partners of a ring are farther away in each step */
  compute(2e7 / size);
  exchange(n, (rank + step + 1) % size, (rank + size - step % size - 1 + size) % size);
}

static void gather_by_hand(int step) { /* up a binomial tree, with all that came from below */
  (void)step;
  compute(2e7 / size);
  for (int by = 1; by < size; by *= 2) {
    if (rank % (2 * by) != 0) {
      give(n / size * by, rank - by);
      break;
    }
    if (rank + by < size) take(n / size * by, rank + by);
  }
  MPI_Barrier(world);
}

static void scatter_by_hand(int step) { /* down a binomial tree: half of it goes on each time */
  int by = 1;
  (void)step;
  while (by < size && rank % (2 * by) == 0) by *= 2;
  if (rank > 0) take(n / size * by, rank - by);
  for (by /= 2; by > 0; by /= 2) give(n / size * by, rank + by);
  compute(2e7 / size);
}

static void in_order(int step) { /* rank 0 takes the results of all in order, and works on each */
  (void)step;
  if (rank > 0) {
    compute(4e7 / size);
    give(n, 0);
  } else {
    for (int other = 1; other < size; ++other) {
      take(n, other);
      compute(2e4);
    }
  }
  MPI_Bcast(in, n, MPI_DOUBLE, 0, world);
}

static void quadratic(int step) { /* the farther a rank from the middle, the less it has to do */
  const double at = (rank + 0.5) / size - 0.5;
  (void)step;
  compute(6e7 / size * (1 - 3 * at * at));
  exchange(n, (rank + 1) % size, (rank + size - 1) % size);
  agree();
}

static void split_roots(void) { /* as many groups as the root of the number of ranks, or twice as many */
  int groups = 1;
  while (groups * groups * 4 <= size) groups *= 2;
  const int members = size / groups;
  MPI_Comm_split(world, rank / members, rank, &part);
  MPI_Comm_split(world, rank % members == 0 ? 0 : MPI_UNDEFINED, rank, &heads);
}

static void root_groups(int step) { /* sums in each group, then among their first ranks */
  (void)step;
  compute(2e7 / size);
  MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_SUM, 0, part);
  if (heads != MPI_COMM_NULL) MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, heads);
  MPI_Bcast(in, n, MPI_DOUBLE, 0, part);
}

static void four_roots(int step) { /* take turns to tell all others */
  if (rank == step % 4) compute(2e6);
  MPI_Bcast(in, n, MPI_DOUBLE, step % 4, world);
  compute(2e7 / size);
}

static void growing_parts(int step) { /* ranks have the more the later they are; rank 0 takes all */
  static int counts[4096], places[4096];
  const int unit = 2 * n / size / (size + 1);
  (void)step;
  for (int i = 0, place = 0; i < size; place += counts[i++]) {
    counts[i] = unit * (i + 1);
    places[i] = place;
  }
  compute(200.0 * counts[rank]);
  MPI_Gatherv(out, counts[rank], MPI_DOUBLE, in, counts, places, MPI_DOUBLE, 0, world);
}

static void transposed_ahead(int step) { /* computes while an all-to-all goes on */
  MPI_Request request;
  (void)step;
  compute(1e7 / size);
  MPI_Ialltoall(out, n / size / size, MPI_DOUBLE, in, n / size / size, MPI_DOUBLE, world, &request);
  compute(3e7 / size);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void whoever_first(int step) { /* halos are worked on in the order in which they come */
  const int others[4] = {at_row * columns + (at_column + 1) % columns,
                         at_row * columns + (at_column + columns - 1) % columns, (rank + columns) % size,
                         (rank + size - columns) % size};
  (void)step;
  for (int i = 0; i < 4; ++i) MPI_Irecv(in, n, MPI_DOUBLE, others[i], i, world, &requests[i]);
  for (int i = 0; i < 4; ++i) MPI_Isend(out, n, MPI_DOUBLE, others[i], i ^ 1, world, &requests[4 + i]);
  compute(2e7 / size);
  for (int done = 0, which; done < 4; ++done) {
    MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
    compute(2e6 / size);
  }
  MPI_Waitall(4, requests + 4, MPI_STATUSES_IGNORE);
}

static void posted_by_root(int step) { /* rank 0 has receives for all posted before it computes */
  (void)step;
  for (int other = 1; rank == 0 && other < size; ++other)
    MPI_Irecv(in, n / size, MPI_DOUBLE, other, 0, world, &requests[other - 1]);
  compute(4e7 / size);
  if (rank > 0)
    MPI_Send(out, n / size, MPI_DOUBLE, 0, 0, world);
  else
    MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
  agree();
}

static void halves_meet(int step) { /* the solver's ranks give the fields to as many that look at them */
  const int half = size / 2;
  if (rank < half) {
    compute(4e7 / size);
    exchange(n, (rank + 1) % half, (rank + half - 1) % half);
    if (step % 2 == 1) give(n, rank + half);
  } else if (step % 2 == 1) {
    take(n, rank - half);
    compute(1e7 / size);
  }
}

static const struct Program kPrograms[] = {{"farther", NULL, farther},
                                           {"gather_by_hand", NULL, gather_by_hand},
                                           {"scatter_by_hand", NULL, scatter_by_hand},
                                           {"in_order", NULL, in_order},
                                           {"quadratic", NULL, quadratic},
                                           {"root_groups", split_roots, root_groups},
                                           {"four_roots", NULL, four_roots},
                                           {"growing_parts", NULL, growing_parts},
                                           {"transposed_ahead", NULL, transposed_ahead},
                                           {"whoever_first", make_grid, whoever_first},
                                           {"posted_by_root", NULL, posted_by_root},
                                           {"halves_meet", NULL, halves_meet}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
