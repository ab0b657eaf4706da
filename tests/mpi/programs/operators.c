/* Reduction operators of the program: on rank 1, combine() takes longer, inside of MPI. Twenty steps.
 *
 *   operators reduce|allreduce|nonblocking|commute [MILLISECONDS, of which it takes two more]
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSteps = 20, kNumbers = 4 };
static int rank;
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
  if (rank == 1) pass(2 * unit);
  for (int i = 0; i < *count; ++i) to[i] += from[i];
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "reduce";
  if (argc > 2) unit = 1e-3 * atof(argv[2]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op op;
  MPI_Op_create(combine, 1, &op);
  double numbers[kNumbers] = {1, 2, 3, 4}, sums[kNumbers] = {0}, all = 0;
  for (int step = 0; step < kSteps; ++step) {
    solve();
    if (strcmp(how, "reduce") == 0) {
      MPI_Reduce(numbers, sums, kNumbers, MPI_DOUBLE, op, 1, MPI_COMM_WORLD);
      MPI_Bcast(sums, kNumbers, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    } else if (strcmp(how, "nonblocking") == 0) {
      MPI_Request request;
      MPI_Iallreduce(numbers, sums, kNumbers, MPI_DOUBLE, op, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Allreduce(numbers, sums, kNumbers, MPI_DOUBLE, op, MPI_COMM_WORLD);
    }
    all += sums[0];
  }
  MPI_Op_free(&op);
  if (rank == 0) printf("operators: %g\n", all);
  MPI_Finalize();
  return 0;
}
