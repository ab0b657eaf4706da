/* Sweeps through a 3-D grid that is spread over two dimensions (as Sweep3D): from each of four corners, plane
 * by plane, each rank waits for two neighbours, computes and sends to the two others. Prints when each rank
 * ended, in simulated seconds.
 *
 *   wavefront CELLS PLANES      CELLS along the edge of a plane
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIMENSIONS = 2, CORNERS = 4 };
static const double kFlopsPerCell = 40;

int main(int argc, char** argv) {
  int rank, size, ranks[DIMENSIONS] = {0}, periods[DIMENSIONS] = {0};
  MPI_Comm grid;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, DIMENSIONS, ranks);
  MPI_Cart_create(MPI_COMM_WORLD, DIMENSIONS, ranks, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  const int nx = atoi(argv[1]) / ranks[0], ny = atoi(argv[1]) / ranks[1];
  double *x_edge = calloc((size_t)ny, sizeof(double)), *y_edge = calloc((size_t)nx, sizeof(double));
  for (int corner = 0; corner < CORNERS; ++corner) {
    int west, east, south, north;
    MPI_Cart_shift(grid, 0, corner % 2 == 0 ? 1 : -1, &west, &east);
    MPI_Cart_shift(grid, 1, corner < 2 ? 1 : -1, &south, &north);
    for (int plane = 0; plane < atoi(argv[2]); ++plane) {
      MPI_Recv(x_edge, ny, MPI_DOUBLE, west, 0, grid, MPI_STATUS_IGNORE);
      MPI_Recv(y_edge, nx, MPI_DOUBLE, south, 1, grid, MPI_STATUS_IGNORE);
      smpi_execute_flops(kFlopsPerCell * nx * ny);
      MPI_Send(x_edge, ny, MPI_DOUBLE, east, 0, grid);
      MPI_Send(y_edge, nx, MPI_DOUBLE, north, 1, grid);
    }
  }
  printf("%d %.12f\n", rank, MPI_Wtime());
  MPI_Finalize();
  return 0;
}
