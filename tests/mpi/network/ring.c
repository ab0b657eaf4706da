/* Each rank sends to the next one around, and computes a little longer than the one before; every tenth step ends with
 * an operation of all. Prints how many seconds the slowest rank took for it, from when all had started.
 *
 *   ring BYTES STEPS NAP_MS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void compute(double milliseconds) {
  const long nanoseconds = (long)(1e6 * milliseconds);
  struct timespec nap = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  nanosleep(&nap, NULL);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[1]), steps = atoi(argv[2]);
  const double nap_ms = atof(argv[3]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char *in = calloc((size_t)bytes, 1), *out = calloc((size_t)bytes, 1);
  double own = 1, sum, took, longest;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int step = 1; step <= steps; ++step) {
    compute(nap_ms * (1 + rank));
    MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % size, 0, in, bytes, MPI_CHAR, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (step % 10 == 0) MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  took = MPI_Wtime() - start;
  MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.6f\n", longest);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
