/* A program with a tool linked in: its own MPI_Barrier, and PMPI calls of its own that do not belong to the
 * application. Prints how often its wrapper ran.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

static int wrapped;

int MPI_Barrier(MPI_Comm comm) {
  int size, sum, one = 1;
  ++wrapped;
  PMPI_Comm_size(comm, &size);
  PMPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum == size ? PMPI_Barrier(comm) : MPI_ERR_OTHER;
}

int main(int argc, char** argv) {
  int rank, value = 1, sum;
  MPI_Init(&argc, &argv);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("own_wrappers: %d barriers, %d ranks\n", wrapped, sum);
  MPI_Finalize();
  return 0;
}
