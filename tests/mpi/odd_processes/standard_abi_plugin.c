/* A plugin of local_mpi.c that is linked to what looks like an MPI with the standard's ABI.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "standard_abi_stand_in.h"

int plugin_main(int* argc, char*** argv);

int plugin_main(int* argc, char*** argv) {
  char *name = "plugin", **names = &name;
  int count = 1, rank = 0;
  (void)argc, (void)argv;
  const int started = MPI_Init(&count, &names);
  const int asked = MPI_Comm_rank(&mpi_comm_world, &rank);
  return MPI_Finalize() + started + asked + (rank != mpi_comm_world.rank);
}
