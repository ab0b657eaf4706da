/* Every rank computes for a time of its own, then synchronises with the others in one kind of call after
 * another. It prints when it entered and left each call, in simulated nanoseconds: a recording must agree
 * with that.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

static int rank, size;

static long long now(void) {
  return llround(MPI_Wtime() * 1e9);
}

/* Rank `turn` computes longest. */
static void compute(int turn) {
  smpi_execute_flops(1e5 * (1 + (rank + size - turn) % size));
}

#define TIMED(name, call)                                    \
  do {                                                       \
    const long long entered = now();                         \
    call;                                                    \
    printf("%d %s %lld %lld\n", rank, name, entered, now()); \
  } while (0)

int main(int argc, char** argv) {
  static double large[20000];
  double own = 1, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  compute(1);
  TIMED("wait_at_barrier", MPI_Barrier(MPI_COMM_WORLD));
  compute(1);
  TIMED("late_broadcast", MPI_Bcast(&own, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  compute(2);
  TIMED("wait_at_nxn", MPI_Alltoall(large, 1, MPI_DOUBLE, large + size, 1, MPI_DOUBLE, MPI_COMM_WORLD));
  compute(1);
  TIMED("late_reduce", MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, size - 1, MPI_COMM_WORLD));
  compute(3);
  /* Even ranks send first; a large message waits for its receiver. */
  if (rank % 2 == 0) {
    TIMED("send", MPI_Send(large, 20000, MPI_DOUBLE, right, 7, MPI_COMM_WORLD));
    TIMED("recv", MPI_Recv(large, 20000, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  } else {
    TIMED("recv", MPI_Recv(large, 20000, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TIMED("send", MPI_Send(large, 20000, MPI_DOUBLE, right, 7, MPI_COMM_WORLD));
  }
  MPI_Finalize();
  return 0;
}
