/* What whole applications do in a step, in small; one is run:
 *
 *     applications NAME N STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

#include <math.h>

enum { MOST_REQUESTS = 16 };
static MPI_Comm part, across;
static MPI_Request requests[MOST_REQUESTS];

/* ---- learning machines */

static void stages(int step) { /* of a network: batches go forwards through all of them, then backwards */
  enum { BATCHES = 6 };
  (void)step;
  for (int i = 0; i < BATCHES; ++i) {
    take(n, before());
    compute(1e7 / size);
    give(n, behind());
  }
  for (int i = 0; i < BATCHES; ++i) {
    take(n, behind());
    compute(2e7 / size);
    give(n, before());
  }
}

static void buckets(int step) { /* sums of gradients go on while the next ones are computed */
  enum { BUCKETS = 5 };
  (void)step;
  for (int i = 0; i < BUCKETS; ++i) {
    compute(1e7 / size);
    MPI_Iallreduce(out, in, n, MPI_DOUBLE, MPI_SUM, world, &requests[i]);
  }
  MPI_Waitall(BUCKETS, requests, MPI_STATUSES_IGNORE);
  compute(1e6);
}

/* ---- graphs and trees */

static void frontier(int step) { /* a search in breadth: few vertices at first and at the end */
  static int counts[4096], places[4096];
  int levels = 3;
  (void)step;
  for (int ranks = 1; ranks < size; ranks *= 2) ++levels;
  for (int level = 1; level < levels; ++level) {
    const int each = n * level * (levels - level) / size / size;
    for (int i = 0; i < size; ++i) {
      counts[i] = each;
      places[i] = i * each;
    }
    compute(200.0 * each * size);
    MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, world);
    agree();
  }
}

static int part_of_curve(int place, int bit) { /* every other bit of a place on Morton's curve */
  int value = 0;
  for (int i = 0; place >> (2 * i) != 0; ++i) value |= ((place >> (2 * i + bit)) & 1) << i;
  return value;
}

static int on_curve(int x, int y) {
  int place = 0;
  for (int i = 0; (x | y) >> i != 0; ++i) place |= ((x >> i & 1) << (2 * i)) | ((y >> i & 1) << (2 * i + 1));
  return place;
}

static void curve(int step) { /* squares along Morton's curve exchange their edges */
  const int x = part_of_curve(rank, 0), y = part_of_curve(rank, 1);
  static const int by[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  int used = 0;
  (void)step;
  for (int i = 0; i < 4; ++i) {
    const int to_x = x + by[i][0], to_y = y + by[i][1];
    const int other = to_x < 0 || to_y < 0 ? size : on_curve(to_x, to_y);
    if (other >= size) continue;
    MPI_Irecv(in, n, MPI_DOUBLE, other, 0, world, &requests[used++]);
    MPI_Isend(out, n, MPI_DOUBLE, other, 0, world, &requests[used++]);
  }
  compute(4e7 / size);
  MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
}

static void fours(int step) { /* sums go up a tree with four children each */
  (void)step;
  compute(2e7 / size);
  for (int child = 4 * rank + 1; child <= 4 * rank + 4 && child < size; ++child) {
    take(n, child);
    compute(100.0 * n);
  }
  if (rank > 0) give(n, (rank - 1) / 4);
  MPI_Bcast(in, 1, MPI_DOUBLE, 0, world);
}

/* ---- linear algebra */

static void triangular(int step) { /* each rank takes what all earlier ones solved */
  (void)step;
  for (int earlier = 0; earlier < rank; ++earlier) {
    take(n / size, earlier);
    compute(4e6 / size / size);
  }
  compute(4e6 / size);
  for (int later = rank + 1; later < size; ++later) give(n / size, later);
}

static void multipartition(int step) { /* every rank has a block in each stage of a sweep */
  const int row_first = at_row * columns;
  (void)step;
  for (int stage = 0; stage < columns; ++stage) {
    compute(2e7 / size / columns);
    exchange(n / columns, row_first + (at_column + 1) % columns,
             row_first + (at_column + columns - 1) % columns);
  }
  for (int stage = 0; stage < rows; ++stage) {
    compute(2e7 / size / rows);
    exchange(n / rows, (rank + columns) % size, (rank + size - columns) % size);
  }
}

/* ---- ensembles, statistics, output */

static void tempering(int step) { /* neighbours swap, those of even and of odd places in turns */
  const int partner = (rank + step) % 2 == 0 ? rank + 1 : rank - 1;
  compute(1e6);
  if (partner >= 0 && partner < size) exchange(n, partner, partner);
}

static void split_members(void) {
  MPI_Comm_split(world, rank / 4, rank, &part);
  MPI_Comm_split(world, rank % 4, rank, &across);
}

static void members(int step) { /* of an ensemble, four ranks each; now and then they are compared */
  int place;
  MPI_Comm_rank(part, &place);
  compute(1e6 + 2e5 * (rank / 4 % 2));
  MPI_Sendrecv(out, n, MPI_DOUBLE, (place + 1) % 4, 0, in, n, MPI_DOUBLE, (place + 3) % 4, 0, part,
               MPI_STATUS_IGNORE);
  if (step % 5 == 4) MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, across);
}

static void server(int step) { /* the last rank writes what all others send, and these go on */
  static MPI_Request sent = MPI_REQUEST_NULL;
  const int written = step % 3 == 2;
  if (rank + 1 == size) {
    for (int other = 0; written && other + 1 < size; ++other) {
      take(n / size, other);
      compute(10.0 * n / size);
    }
    return;
  }
  compute(4e7 / size);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  if (written) MPI_Isend(out, n / size, MPI_DOUBLE, size - 1, 3, world, &sent);
  if (step + 1 == steps) MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static void replies(int step) { /* rank 0 answers whoever asks */
  (void)step;
  if (rank > 0) {
    compute(4e7 / size * (1 + 0.5 * chance(rank, step)));
    give(10, 0);
    return take(n, 0);
  }
  for (int asked = 1; asked < size; ++asked) {
    MPI_Status status;
    MPI_Recv(in, 10, MPI_DOUBLE, MPI_ANY_SOURCE, 3, world, &status);
    compute(1e4);
    give(n, status.MPI_SOURCE);
  }
}

static void kept_state(int step) { /* every fifth step it is gathered and written */
  compute(4e7 / size);
  exchange(n / size, (rank + 1) % size, (rank + size - 1) % size);
  if (step % 5 != 4) return;
  MPI_Gather(out, n / size, MPI_DOUBLE, in, n / size, MPI_DOUBLE, 0, world);
  if (rank == 0) compute(10.0 * n);
  MPI_Barrier(world);
}

/* ---- kinds of communication */

static MPI_Request kept[4];

static void keep_requests(void) {
  MPI_Recv_init(in, n / size, MPI_DOUBLE, before(), 1, world, &kept[0]);
  MPI_Recv_init(in, n / size, MPI_DOUBLE, behind(), 2, world, &kept[1]);
  MPI_Send_init(out, n / size, MPI_DOUBLE, behind(), 1, world, &kept[2]);
  MPI_Send_init(out, n / size, MPI_DOUBLE, before(), 2, world, &kept[3]);
}

static void persistent(int step) { /* halos by requests that are started again */
  (void)step;
  MPI_Startall(4, kept);
  compute(3e7 / size);
  MPI_Waitall(4, kept, MPI_STATUSES_IGNORE);
  compute(1e7 / size);
}

static void synchronous(int step) { /* a ring in which even ranks send first */
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  (void)step;
  compute(2e7 / size);
  if (rank % 2 == 0) MPI_Ssend(out, n, MPI_DOUBLE, next, 0, world);
  MPI_Recv(in, n, MPI_DOUBLE, last, 0, world, MPI_STATUS_IGNORE);
  if (rank % 2 == 1) MPI_Ssend(out, n, MPI_DOUBLE, next, 0, world);
}

static void offsets(int step) { /* where my part begins, and what everybody gets of it */
  static int counts[4096], theirs[4096];
  double own = n, first = 0;
  (void)step;
  compute(2e7 / size);
  MPI_Exscan(&own, &first, 1, MPI_DOUBLE, MPI_SUM, world);
  MPI_Alltoall(counts, 1, MPI_INT, theirs, 1, MPI_INT, world);
  exchange(n / size, (rank + 1) % size, (rank + size - 1) % size);
}

static MPI_Comm halves[16];
static int levels_of_halves;

static void split_halves(void) {
  MPI_Comm whole = world;
  for (int left = size; left > 1; left /= 2) {
    int place;
    MPI_Comm_rank(whole, &place);
    MPI_Comm_split(whole, place >= left / 2, rank, &halves[levels_of_halves]);
    whole = halves[levels_of_halves++];
  }
}

static void bisection(int step) { /* of the domain, again and again: ever smaller groups agree */
  double own = step, sum;
  for (int i = 0; i < levels_of_halves; ++i) {
    compute(1e7 / size);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, halves[i]);
  }
}

static const struct Program kPrograms[] = {{"stages", NULL, stages},
                                           {"buckets", NULL, buckets},
                                           {"frontier", NULL, frontier},
                                           {"curve", NULL, curve},
                                           {"fours", NULL, fours},
                                           {"triangular", NULL, triangular},
                                           {"multipartition", make_grid, multipartition},
                                           {"tempering", NULL, tempering},
                                           {"members", split_members, members},
                                           {"server", NULL, server},
                                           {"replies", NULL, replies},
                                           {"kept_state", NULL, kept_state},
                                           {"persistent", keep_requests, persistent},
                                           {"synchronous", NULL, synchronous},
                                           {"offsets", NULL, offsets},
                                           {"bisection", split_halves, bisection}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
