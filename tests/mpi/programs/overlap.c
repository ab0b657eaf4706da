/* Programs that overlap communication with computation, drawn at random: `overlap SEED KIND [options of
 * emulate.h]`. In each step all ranks compute outer(), start an operation, compute inner(), and complete it. One
 * rank has more to do, before or during the operation, in the same function or in refine(); with --fixed it has
 * not. Rank 0 prints how many seconds the steps took, and how
 * much more that rank computes without --fixed.
 *
 *   KIND: halo, persistent_halo, allreduce, rooted, alltoall, persistent_allreduce
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "examples/emulate.h"

enum { kMostRanks = 8, kLargeHalo = 1 << 20, kLargeBlock = 1 << 16, kPieces = 8, kMeetEvery = 4 };

static int rank, ranks;
static unsigned long long drawn;

static int draw(int low, int high) {
  drawn = drawn * 6364136223846793005ULL + 1442695040888963407ULL;
  return low + (int)((drawn >> 33) % (unsigned long long)(high - low + 1));
}

static struct {
  const char* kind;
  int bytes, late, inside, elsewhere, tests, root;
  double outer, inner, extra; /* in units */
} plan;

static MPI_Request requests[4];
static int used;
static char sent[2][kLargeHalo], received[2][kLargeHalo];
static char to_all[kMostRanks * kLargeBlock], from_all[kMostRanks * kLargeBlock];

static NOINLINE void refine(double units) {
  emulate_ms(units * options.unit_ms);
}

static NOINLINE void outer(double units) {
  emulate_ms(units * options.unit_ms);
}

static NOINLINE void inner(double units) {
  emulate_ms(units * options.unit_ms);
}

static void test_all(void) {
  int done = 0;
  MPI_Testall(used, requests, &done, MPI_STATUSES_IGNORE);
}

/* All that is computed during the operation, with tests in between or without. */
static void compute_inside(void (*what)(double), double units) {
  const int pieces = plan.tests ? kPieces : 1;
  for (int piece = 0; piece < pieces; ++piece) {
    what(units / pieces);
    if (plan.tests) test_all();
  }
}

static int is(const char* kind) {
  return strcmp(plan.kind, kind) == 0;
}

static void make_persistent(void) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  if (is("persistent_halo")) {
    MPI_Recv_init(received[0], plan.bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(received[1], plan.bytes, MPI_CHAR, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(sent[0], plan.bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(sent[1], plan.bytes, MPI_CHAR, left, 2, MPI_COMM_WORLD, &requests[3]);
    used = 4;
  }
#if MPI_VERSION >= 4
  if (is("persistent_allreduce")) {
    MPI_Allreduce_init(sent[0], received[0], plan.bytes / 8, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[0]);
    used = 1;
  }
#endif
}

static void start(void) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  if (is("halo")) {
    MPI_Irecv(received[0], plan.bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(received[1], plan.bytes, MPI_CHAR, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(sent[0], plan.bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(sent[1], plan.bytes, MPI_CHAR, left, 2, MPI_COMM_WORLD, &requests[3]);
    used = 4;
    return;
  }
  if (is("persistent_halo")) {
    MPI_Startall(used, requests);
    return;
  }
  used = 1;
  if (is("alltoall")) {
    MPI_Ialltoall(to_all, plan.bytes, MPI_CHAR, from_all, plan.bytes, MPI_CHAR, MPI_COMM_WORLD, requests);
  } else if (is("rooted") && plan.bytes % 2 == 0) {
    MPI_Ibcast(sent[0], plan.bytes, MPI_CHAR, plan.root, MPI_COMM_WORLD, requests);
  } else if (is("rooted")) {
    MPI_Ireduce(sent[0], received[0], plan.bytes, MPI_CHAR, MPI_BOR, plan.root, MPI_COMM_WORLD, requests);
  } else if (requests[0] != MPI_REQUEST_NULL) {
    MPI_Start(requests);
  } else {
    MPI_Iallreduce(sent[0], received[0], plan.bytes / 8, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, requests);
  }
}

static void draw_plan(const char* kind, int seed) {
  drawn = (unsigned long long)seed * 1000003ULL;
  for (const char* c = kind; *c != 0; ++c) drawn = drawn * 131 + (unsigned char)*c;
  for (int i = 0; i < 8; ++i) draw(0, 1);
  plan.kind = kind;
  plan.late = draw(0, ranks - 1);
  plan.root = draw(0, ranks - 1);
  plan.inside = draw(0, 1);
  plan.elsewhere = draw(0, 1);
  plan.tests = draw(0, 2) == 0;
  plan.outer = draw(10, 30) / 10.0;
  plan.inner = draw(10, 30) / 10.0;
  plan.extra = (plan.outer + plan.inner) * draw(4, 10) / 10.0;
  plan.bytes = draw(0, 1) ? 64 : is("alltoall") ? kLargeBlock : kLargeHalo;
  if (is("rooted")) plan.bytes -= draw(0, 1); /* odd: a reduction */
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3 || ranks > kMostRanks) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 0; i < 4; ++i) requests[i] = MPI_REQUEST_NULL;
  read_options(argc - 2, argv + 2);
  draw_plan(argv[2], atoi(argv[1]));
  make_persistent();
  const double extra = options.fixed || rank != plan.late ? 0 : plan.extra;
  void (*const late)(double) = plan.elsewhere ? refine : plan.inside ? inner : outer;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < options.steps; ++step) {
    outer(plan.outer);
    if (!plan.inside && extra > 0) late(extra);
    start();
    compute_inside(inner, plan.inner);
    if (plan.inside && extra > 0) compute_inside(late, extra);
    MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
    if (step % kMeetEvery == kMeetEvery - 1) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f s, %.6f s more, late in %s on %d: %s operation of %d bytes, root %d, tests %d\n",
           MPI_Wtime() - begin, 1e-3 * plan.extra * options.unit_ms * options.steps,
           plan.elsewhere ? "refine"
           : plan.inside  ? "inner"
                          : "outer",
           plan.late, plan.inside ? "inside" : "before", plan.bytes, plan.root, plan.tests);
  for (int i = 0; i < 4; ++i)
    if (requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
  MPI_Finalize();
  return 0;
}
