/* All the ways in which a rank can end: ends normal|status|abort|unfinalized|empty
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "normal";
  int rank, value = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(how, "empty") != 0) MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(how, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 8);
  if (strcmp(how, "abort") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(how, "unfinalized") == 0) exit(5);
  if (rank == 0) printf("ends: %d ranks\n", sum);
  MPI_Finalize();
  return strcmp(how, "status") == 0 ? 7 : 0;
}
