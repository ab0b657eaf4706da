/* An MPI program that loads the libraries of its command line before MPI_Init; those that cannot be loaded
 * are skipped. With copies of tls_eater.c nothing remains of the room that the loader keeps for thread-local
 * storage of late libraries.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int i, rank, refused = 0;
  for (i = 1; i < argc; ++i) refused += dlopen(argv[i], RTLD_NOW) == NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("full_tls: %s\n", refused > 0 ? "full" : "room");
  return MPI_Finalize();
}
