/* Rank 0 and another rank send each other messages of many sizes in turn. Prints each size and how long one
 * way took, in simulated seconds.
 *
 *   ping_pong OTHER FACTOR      sizes from 5 bytes to 4 MB, each FACTOR times the one before
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  enum { ROUNDS = 10, LARGEST = 4000000 };
  int rank;
  char* buffer = calloc(LARGEST, 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = atoi(argv[1]);
  for (double size = 5; size < LARGEST; size *= atof(argv[2])) {
    const int bytes = (int)size;
    const double begin = MPI_Wtime();
    for (int i = 0; i < ROUNDS && (rank == 0 || rank == other); ++i) {
      const int to = rank == 0 ? other : 0;
      if (rank == 0) MPI_Send(buffer, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
      MPI_Recv(buffer, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank != 0) MPI_Send(buffer, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d %.15f\n", bytes, (MPI_Wtime() - begin) / (2 * ROUNDS));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
