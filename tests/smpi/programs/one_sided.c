/* Each rank computes, then requests data of another one, and waits for it. Prints when each rank ended, in
 * simulated seconds.
 *
 *   one_sided get VALUES     MPI_Rget of VALUES, MPI_Wait
 *   one_sided add VALUES     MPI_Get_accumulate of VALUES, MPI_Win_flush_local
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20 };

int main(int argc, char** argv) {
  int rank, size;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int values = atoi(argv[2]), target = (rank + size / 2) % size;
  double* shared = calloc((size_t)values, sizeof(double));
  double* own = calloc((size_t)values, sizeof(double));
  double* fetched = calloc((size_t)values, sizeof(double));
  MPI_Win_create(shared, (MPI_Aint)(values * sizeof(double)), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                 &window);
  MPI_Win_lock_all(0, window);
  for (int step = 0; step < STEPS; ++step) {
    smpi_execute_flops(1e4 * (1 + (rank * 7 + step) % 5));
    if (strcmp(argv[1], "get") == 0) {
      MPI_Request request;
      MPI_Rget(fetched, values, MPI_DOUBLE, target, 0, values, MPI_DOUBLE, window, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Get_accumulate(own, values, MPI_DOUBLE, fetched, values, MPI_DOUBLE, target, 0, values, MPI_DOUBLE,
                         MPI_SUM, window);
      MPI_Win_flush_local(target, window);
    }
  }
  printf("%d %.12f\n", rank, MPI_Wtime());
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
