/* The plugin of local_mpi.c: a shared object linked to MPI.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

int plugin_main(int* argc, char*** argv);

int plugin_main(int* argc, char*** argv) {
  int rank, sum = 0;
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return MPI_Finalize();
}
