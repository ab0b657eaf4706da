/* Two ranks spawn a job of one rank, which gets a number from each and sends back the sum.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

static void work_for(MPI_Comm parents) {
  int numbers[2], sum;
  for (int i = 0; i < 2; ++i) MPI_Recv(&numbers[i], 1, MPI_INT, i, 1, parents, MPI_STATUS_IGNORE);
  sum = numbers[0] + numbers[1];
  for (int i = 0; i < 2; ++i) MPI_Send(&sum, 1, MPI_INT, i, 2, parents);
}

int main(int argc, char** argv) {
  MPI_Comm parents, child;
  int rank, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parents);
  if (parents != MPI_COMM_NULL) {
    work_for(parents);
    MPI_Comm_disconnect(&parents);
  } else {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
    MPI_Send(&(int){rank + 1}, 1, MPI_INT, 0, 1, child);
    MPI_Recv(&sum, 1, MPI_INT, 0, 2, child, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&child);
    if (rank == 0) printf("spawning: %d\n", sum);
  }
  return MPI_Finalize();
}
