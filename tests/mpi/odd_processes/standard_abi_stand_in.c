/* The parts of an MPI with the standard's ABI (libmpi_abi.so) that a recorder made for another ABI could
 * break: its handles are as wide as addresses.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "standard_abi_stand_in.h"

struct communicator mpi_comm_world = {3};

int PMPI_Init(int* argc, char*** argv) {
  return argc == 0 || argv == 0;
}
int PMPI_Comm_rank(struct communicator* comm, int* rank) {
  *rank = comm->rank;
  return 0;
}
int PMPI_Finalize(void) {
  return 0;
}

int MPI_Init(int* argc, char*** argv) {
  return PMPI_Init(argc, argv);
}
int MPI_Comm_rank(struct communicator* comm, int* rank) {
  return PMPI_Comm_rank(comm, rank);
}
int MPI_Finalize(void) {
  return PMPI_Finalize();
}
