/* A Jacobi solver on a 3-D grid of simulated ranks: faces to six neighbours, compute, MPI_Allreduce. Prints
 * when each rank ended, in simulated seconds.
 *
 *   jacobi3d CELLS STEPS      of CELLS cells along each edge
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIMENSIONS = 3, FACES = 2 * DIMENSIONS };
static const double kFlopsPerCell = 10;

int main(int argc, char** argv) {
  int rank, size, ranks[DIMENSIONS] = {0}, periods[DIMENSIONS] = {0}, cells[DIMENSIONS], face[FACES],
                  neighbour[FACES];
  double *in[FACES], *out[FACES], own = 1, all = 0;
  MPI_Comm grid;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, DIMENSIONS, ranks);
  MPI_Cart_create(MPI_COMM_WORLD, DIMENSIONS, ranks, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  for (int d = 0; d < DIMENSIONS; ++d) {
    MPI_Cart_shift(grid, d, 1, &neighbour[2 * d], &neighbour[2 * d + 1]);
    cells[d] = atoi(argv[1]) / ranks[d];
  }
  for (int f = 0; f < FACES; ++f) {
    face[f] = cells[(f / 2 + 1) % DIMENSIONS] * cells[(f / 2 + 2) % DIMENSIONS];
    in[f] = calloc((size_t)face[f], sizeof(double));
    out[f] = calloc((size_t)face[f], sizeof(double));
  }
  for (int step = 0; step < atoi(argv[2]); ++step) {
    MPI_Request requests[2 * FACES];
    for (int f = 0; f < FACES; ++f)
      MPI_Irecv(in[f], face[f], MPI_DOUBLE, neighbour[f], f ^ 1, grid, &requests[f]);
    for (int f = 0; f < FACES; ++f)
      MPI_Isend(out[f], face[f], MPI_DOUBLE, neighbour[f], f, grid, &requests[FACES + f]);
    MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
    smpi_execute_flops(kFlopsPerCell * cells[0] * cells[1] * cells[2]);
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  printf("%d %.12f\n", rank, MPI_Wtime());
  MPI_Finalize();
  return 0;
}
