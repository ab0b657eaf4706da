/* Makes ever more objects of which a recorder keeps a table: "without_end regions 70000". After MPI_Finalize
 * rank 0 prints its peak memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libwaitprof/include/waitprof.h"

static void region(long number) {
  char name[32];
  snprintf(name, sizeof name, "region %ld", number);
  waitprof_region_begin(name);
  waitprof_region_end(name);
}

static void communicator(int used) {
  MPI_Comm made;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  if (used) MPI_Barrier(made);
  MPI_Comm_free(&made);
}

static long peak_kib(void) {
  char line[256];
  long kib = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "VmHWM:", 6) == 0) kib = atol(line + 6);
  }
  if (status != NULL) fclose(status);
  return kib;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* kind = argc > 1 ? argv[1] : "";
  const long count = argc > 2 ? atol(argv[2]) : 0;
  for (long i = 0; i < count; ++i) {
    if (strcmp(kind, "regions") == 0) region(i);
    if (strcmp(kind, "communicators") == 0) communicator(1);
    if (strcmp(kind, "unused_communicators") == 0) communicator(0);
  }
  MPI_Finalize();
  if (rank == 0) printf("without_end: %ld KiB\n", peak_kib());
  return 0;
}
