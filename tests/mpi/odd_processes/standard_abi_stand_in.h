/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct communicator {
  int rank;
};
extern struct communicator mpi_comm_world;

int PMPI_Init(int* argc, char*** argv);
int PMPI_Comm_rank(struct communicator* comm, int* rank);
int PMPI_Finalize(void);
int MPI_Init(int* argc, char*** argv);
int MPI_Comm_rank(struct communicator* comm, int* rank);
int MPI_Finalize(void);
