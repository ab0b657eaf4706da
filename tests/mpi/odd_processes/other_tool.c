/* Another PMPI tool: counts barriers, and says at the end how many there were. The complete variant also
 * wraps MPI_Init and MPI_Finalize.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

static int barriers;

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}

#ifdef WHOLE
int MPI_Init(int* argc, char*** argv) {
  return PMPI_Init(argc, argv);
}
int MPI_Finalize(void) {
  return PMPI_Finalize();
}
#endif

__attribute__((destructor)) static void tell(void) {
  if (barriers > 0) printf("other_tool: %d barriers\n", barriers);
}
