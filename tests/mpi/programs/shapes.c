/* Programs of many shapes with one cause of waiting: `shapes KIND [options of emulate.h]`, on at least 4 ranks. In
 * all of them late_work() takes longer on rank 2; the others run it, too, unless they do work of another kind.
 *
 *   KIND: exchange, reduction, broadcast, master, pipeline, groups, server, ring, tree, readers
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <unistd.h>

#include "examples/emulate.h"

enum { kMostRanks = 64 };

static int rank, ranks;
static long value = 1, others[kMostRanks];
static MPI_Comm group, leaders;

static NOINLINE void solve(double units) {
  emulate_ms(units * options.unit_ms);
}

static NOINLINE void late_work(void) {
  emulate_ms((rank == 2 ? 3 : 1) * options.unit_ms);
}

static void pass(int from, int to, int tag) {
  if (rank == from) MPI_Send(&value, 1, MPI_LONG, to, tag, MPI_COMM_WORLD);
  if (rank == to) MPI_Recv(&others[from], 1, MPI_LONG, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(int step) {
  (void)step;
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Request requests[4];
  late_work();
  MPI_Irecv(&others[0], 1, MPI_LONG, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&others[1], 1, MPI_LONG, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&value, 1, MPI_LONG, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&value, 1, MPI_LONG, left, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  solve(0.5);
}

static void reduction(int step) {
  solve(0.5);
  late_work();
  MPI_Reduce(&value, others, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (step % 4 == 3) MPI_Barrier(MPI_COMM_WORLD);
}

static void broadcast(int step) {
  solve(0.5);
  late_work();
  MPI_Bcast(&value, 1, MPI_LONG, 2, MPI_COMM_WORLD);
  if (step % 4 == 3) MPI_Barrier(MPI_COMM_WORLD);
}

static void master(int step) {
  (void)step;
  for (int to = 1; to < ranks; ++to) pass(0, to, 1);
  if (rank > 0) late_work();
  for (int from = 1; from < ranks; ++from) pass(from, 0, 2);
}

static void pipeline(int step) {
  if (rank > 0) pass(rank - 1, rank, 1);
  late_work();
  if (rank + 1 < ranks) pass(rank, rank + 1, 1);
  if (step == options.steps - 1) MPI_Barrier(MPI_COMM_WORLD);
}

static void groups(int step) {
  (void)step;
  late_work();
  MPI_Allreduce(&value, others, 1, MPI_LONG, MPI_SUM, group);
  if (leaders != MPI_COMM_NULL) MPI_Allreduce(&value, others, 1, MPI_LONG, MPI_SUM, leaders);
  MPI_Bcast(others, 1, MPI_LONG, 0, group);
}

static void server(int step) {
  (void)step;
  MPI_Request requests[kMostRanks];
  if (rank > 0) late_work();
  if (rank > 0) MPI_Send(&value, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) {
    for (int from = 1; from < ranks; ++from)
      MPI_Irecv(&others[from], 1, MPI_LONG, from, 1, MPI_COMM_WORLD, &requests[from - 1]);
    for (int missing = ranks - 1; missing > 0;) {
      int which = 0, done = 0;
      MPI_Testany(ranks - 1, requests, &which, &done, MPI_STATUS_IGNORE);
      if (done)
        --missing;
      else
        usleep((useconds_t)(50 * options.unit_ms));
    }
  }
  for (int to = 1; to < ranks; ++to) pass(0, to, 2);
}

static void ring(int step) {
  (void)step;
  late_work();
  MPI_Sendrecv(&value, 1, MPI_LONG, (rank + 1) % ranks, 1, others, 1, MPI_LONG, (rank + ranks - 1) % ranks, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tree(int step) {
  (void)step;
  late_work();
  for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < ranks; ++child) pass(child, rank, 1);
  if (rank > 0) pass(rank, (rank - 1) / 2, 1);
  if (rank > 0) pass((rank - 1) / 2, rank, 2);
  for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < ranks; ++child) pass(rank, child, 2);
}

static void readers(int step) {
  solve(1);
  if (step % 2 == 0 && rank % 2 == 0) late_work();
  if (step % 2 == 0) MPI_Bcast(&value, 1, MPI_LONG, 2, MPI_COMM_WORLD);
  if (step % 2 == 1) MPI_Allreduce(&value, others, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
  const char* name;
  void (*step)(int);
} kinds[] = {{"exchange", exchange}, {"reduction", reduction}, {"broadcast", broadcast}, {"master", master},
             {"pipeline", pipeline}, {"groups", groups},       {"server", server},       {"ring", ring},
             {"tree", tree},         {"readers", readers}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  void (*step)(int) = NULL;
  for (unsigned i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(argv[1], kinds[i].name) == 0) step = kinds[i].step;
  if (step == NULL || ranks < 4 || ranks > kMostRanks) MPI_Abort(MPI_COMM_WORLD, 2);
  read_options(argc - 1, argv + 1);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &group);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
  for (int i = 0; i < options.steps; ++i) step(i);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&group);
  if (leaders != MPI_COMM_NULL) MPI_Comm_free(&leaders);
  MPI_Finalize();
  return 0;
}
