/* Programs that nobody wrote: a few phases for each step, with communicators, partners, sizes and work drawn by a seed.
 * What is drawn depends on the seed alone, so that a program is the same one on any number of ranks.
 *
 *   composed composed SEED STEPS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "population.h"

enum { MOST_PHASES = 6, MOST_REQUESTS = 64 };
static MPI_Comm half, parity;
static MPI_Win window;
static MPI_Request requests[MOST_REQUESTS];
static int open, draws, extent;

static int draw(int kinds) {
  return (int)(chance(1000 + n, draws++) * kinds);
}

/* ---- laws of sizes and of work */

struct Law {
  int kind;
  double factor;
};

static double amount(const struct Law* law, double cells) {
  const double per_rank = cells / size;
  switch (law->kind) {
    case 0:
      return law->factor * per_rank;
    case 1:
      return law->factor * cells / rows;
    case 2:
      return law->factor * cells / columns;
    default:
      return law->factor * 256;
  }
}

/* ---- a phase */

struct Phase {
  int kind, comm, partner, imbalance, every, root;
  struct Law bytes, work;
};
static struct Phase phases[MOST_PHASES];
static int phase_count;

static MPI_Comm comm_of(const struct Phase* phase) {
  const MPI_Comm all[] = {world, row, column, half, parity};
  return all[phase->comm];
}

static int count_of(const struct Phase* phase) {
  const int count = (int)amount(&phase->bytes, extent);
  return count < 1 ? 1 : count;
}

static void work(const struct Phase* phase, int step) {
  double flops = amount(&phase->work, 4e7);
  if (phase->work.kind == 3) flops = phase->work.factor * 1e6;
  switch (phase->imbalance) {
    case 0:
      flops *= rank == phase->root % size ? 1.5 : 1.0;
      break;
    case 1:
      flops *= 0.75 + 0.5 * rank / size;
      break;
    case 2:
      flops *= 0.9 + 0.2 * chance(rank, 77);
      break;
    case 3:
      flops *= 0.9 + 0.2 * chance(rank, step);
      break;
    case 4:
      flops *= at_row == 0 || at_row == rows - 1 ? 0.8 : 1.0;
      break;
    default:
      break;
  }
  compute(flops);
}

static void both_ways(int partner, int count, int tag) {
  if (partner < 0 || partner >= size || open + 2 > MOST_REQUESTS) return;
  MPI_Irecv(in, count, MPI_DOUBLE, partner, tag, world, &requests[open++]);
  MPI_Isend(out, count, MPI_DOUBLE, partner, tag, world, &requests[open++]);
}

static void neighbours(const struct Phase* phase, int count) {
  const int up = at_row > 0 ? rank - columns : -1, down = at_row + 1 < rows ? rank + columns : -1;
  const int left = at_column > 0 ? rank - 1 : -1, right = at_column + 1 < columns ? rank + 1 : -1;
  switch (phase->partner) {
    case 0: /* a chain */
      both_ways(rank - 1, count, 1);
      both_ways(rank + 1, count, 1);
      break;
    case 1: /* a grid */
      both_ways(up, count, 2);
      both_ways(down, count, 2);
      both_ways(left, 2 * count, 3);
      both_ways(right, 2 * count, 3);
      break;
    case 2: /* each bit */
      for (int by = 1; by < size; by *= 2) both_ways(rank ^ by, count, by);
      break;
    case 3: /* each power of two, where there is such a rank */
      for (int by = 1; by < size; by *= 2) {
        both_ways(rank - by, count, by);
        both_ways(rank + by, count, by);
      }
      break;
    case 4: /* the opposite one */
      both_ways((rank + size / 2) % size, count, 5);
      break;
    case 5: /* its mirror image */
      if (size - 1 - rank != rank) both_ways(size - 1 - rank, count, 6);
      break;
    case 6: /* transposed, on a square grid; otherwise the next one in the column */
      if (rows == columns && at_row != at_column) both_ways(at_column * columns + at_row, count, 7);
      if (rows != columns) {
        both_ways(up, count, 7);
        both_ways(down, count, 7);
      }
      break;
    default: /* pairs */
      both_ways(rank ^ 1, count, 8);
      break;
  }
}

static void complete(void) {
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  open = 0;
}

static void collective(const struct Phase* phase, int step, int count) {
  const MPI_Comm comm = comm_of(phase);
  int members, root;
  MPI_Comm_size(comm, &members);
  root = phase->partner % 2 == 0 ? phase->root % members : step % members;
  switch (phase->partner) {
    case 0:
    case 1:
      MPI_Bcast(out, count, MPI_DOUBLE, root, comm);
      break;
    case 2:
    case 3:
      MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, root, comm);
      break;
    case 4:
      MPI_Allgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, comm);
      break;
    case 5:
      MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, comm);
      break;
    case 6:
      MPI_Gather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, root, comm);
      break;
    default:
      MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, comm);
      break;
  }
}

static void chain(const struct Phase* phase, int step, int count) { /* along the ranks of a communicator */
  const MPI_Comm comm = comm_of(phase);
  int at, members;
  MPI_Comm_rank(comm, &at);
  MPI_Comm_size(comm, &members);
  if (at > 0) MPI_Recv(in, count, MPI_DOUBLE, at - 1, 11, comm, MPI_STATUS_IGNORE);
  work(phase, step);
  if (at + 1 < members) MPI_Send(out, count, MPI_DOUBLE, at + 1, 11, comm);
}

static void to_one(const struct Phase* phase,
                   int count) { /* each rank's result to one of them, as it comes */
  const int root = phase->root % size, tag = 12 + (int)(phase - phases); /* a phase may overtake another */
  if (rank != root) {
    MPI_Send(out, count, MPI_DOUBLE, root, tag, world);
    return;
  }
  for (int other = 0, from = 0; other < size - 1; ++other, ++from) {
    if (from == root) ++from;
    MPI_Recv(in, count, MPI_DOUBLE, phase->partner % 2 == 0 ? from : MPI_ANY_SOURCE, tag, world,
             MPI_STATUS_IGNORE);
  }
}

static void puts_beside(int count) {
  MPI_Win_fence(0, window);
  MPI_Put(out, count, MPI_DOUBLE, (rank + 1) % size, 0, count, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
}

static void do_phase(const struct Phase* phase, int step) {
  const int count = count_of(phase), shift = phase->partner % 4 == 0 ? columns : 1 + phase->partner % 4;
  switch (phase->kind) {
    case 0:
    case 1:
      neighbours(phase, count);
      work(phase, step);
      complete();
      break;
    case 2:
      neighbours(phase, count);
      complete();
      work(phase, step);
      break;
    case 3:
    case 4:
    case 5:
      work(phase, step);
      collective(phase, step, count);
      break;
    case 6:
      chain(phase, step, count);
      break;
    case 7:
      work(phase, step);
      to_one(phase, count);
      break;
    case 8:
      exchange(count, (rank + shift) % size, (rank + size - shift % size) % size);
      work(phase, step);
      break;
    case 9:
      puts_beside(count);
      work(phase, step);
      break;
    default: { /* an agreement in the background */
      MPI_Request request;
      MPI_Iallreduce(out, in, count, MPI_DOUBLE, MPI_SUM, comm_of(phase), &request);
      work(phase, step);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    }
  }
}

static void run_phase(int i, int step) { /* a function of its own */
  static const char* const names[MOST_PHASES] = {"first", "second", "third", "fourth", "fifth", "sixth"};
  if (step % phases[i].every != 0) return;
  waitprof_region_begin(names[i]);
  do_phase(&phases[i], step);
  waitprof_region_end(names[i]);
}

static struct Law drawn_law(void) {
  struct Law law = {draw(4), 0};
  law.factor = 0.5 + draw(8) / 4.0;
  return law;
}

static void begin(void) {
  split_grid();
  MPI_Comm_split(world, rank < size / 2, rank, &half);
  MPI_Comm_split(world, rank % 2, rank, &parity);
  MPI_Win_create(in, BYTES / 2, 1, MPI_INFO_NULL, world, &window);
  extent = 1024 << draw(6);
  phase_count = 1 + draw(4);
  for (int i = 0; i < phase_count; ++i) {
    phases[i].kind = draw(11);
    phases[i].comm = draw(5);
    phases[i].partner = draw(8);
    phases[i].imbalance = draw(8);
    phases[i].every = draw(4) == 0 ? 2 + draw(2) : 1;
    phases[i].root = draw(2) == 0 ? 0 : draw(8);
    phases[i].bytes = drawn_law();
    phases[i].work = drawn_law();
  }
}

static void composed(int step) {
  for (int i = 0; i < phase_count; ++i) run_phase(i, step);
  if (phases[0].imbalance % 2 == 0) agree();
}

static const struct Program kPrograms[] = {{"composed", begin, composed}};

int main(int argc, char** argv) {
  return run_program(kPrograms, sizeof kPrograms / sizeof *kPrograms, argc, argv);
}
