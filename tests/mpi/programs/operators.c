/* Reduction operators of the program: on rank 1, combine() takes longer, inside of MPI. Twenty steps.
 *
 *   operators reduce|allreduce|nonblocking|scan|scatter [MILLISECONDS, of which it takes two more [quick: it does not]]
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSteps = 20, kNumbers = 4, kMostRanks = 16 };
static int rank, quick;
static double unit = 0.005; /* seconds */

static void pass(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&time, NULL);
}

__attribute__((noinline)) static void solve(void) {
  pass(2 * unit);
}

/* The same whatever the order, so that any rank may be the one that combines. */
__attribute__((noinline)) static void combine(void* in, void* in_and_out, int* count, MPI_Datatype* type) {
  const double* const from = in;
  double* const to = in_and_out;
  (void)type;
  if (rank == 1 && !quick) pass(2 * unit);
  for (int i = 0; i < *count; ++i) to[i] += from[i];
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "reduce";
  if (argc > 2) unit = 1e-3 * atof(argv[2]);
  quick = argc > 3 && strcmp(argv[3], "quick") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op op;
  MPI_Op_create(combine, 1, &op);
  double numbers[kNumbers * kMostRanks] = {1, 2, 3, 4}, sums[kNumbers] = {0}, all = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < kSteps; ++step) {
    solve();
    if (strcmp(how, "reduce") == 0) {
      MPI_Reduce(numbers, sums, kNumbers, MPI_DOUBLE, op, 1, MPI_COMM_WORLD);
      MPI_Bcast(sums, kNumbers, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    } else if (strcmp(how, "nonblocking") == 0) {
      MPI_Request request;
      MPI_Iallreduce(numbers, sums, kNumbers, MPI_DOUBLE, op, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "scan") == 0) {
      MPI_Scan(numbers, sums, kNumbers, MPI_DOUBLE, op, MPI_COMM_WORLD);
    } else if (strcmp(how, "scatter") == 0) {
      MPI_Reduce_scatter_block(numbers, sums, kNumbers, MPI_DOUBLE, op, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(numbers, sums, kNumbers, MPI_DOUBLE, op, MPI_COMM_WORLD);
    }
    all += sums[0];
  }
  MPI_Op_free(&op);
  const double seconds = MPI_Wtime() - begin;
  if (rank == 0) printf("operators: %g\n", all);
  if (rank == 0 && argc > 3) printf("seconds: %.3f\n", seconds);
  MPI_Finalize();
  return 0;
}
