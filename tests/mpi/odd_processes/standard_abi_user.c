/* Prints its rank, its own name and the libraries that were preloaded: a recorder must not change any of
 * these.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "standard_abi_stand_in.h"

int main(int argc, char** argv) {
  int rank = 0;
  const char* preload = getenv("LD_PRELOAD");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(&mpi_comm_world, &rank);
  printf("%s %s: rank %d, preloaded %s\n", argv[0], argv[1], rank, preload != NULL ? preload : "nothing");
  return MPI_Finalize();
}
