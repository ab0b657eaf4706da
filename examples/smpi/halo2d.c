/* A stencil on a 2-D grid of simulated ranks, for SimGrid's SMPI: exchange with four neighbours, compute,
 * Allreduce. Computation is injected, so that every run takes the same simulated time to the nanosecond.
 *
 *   smpicc -g -I<prefix>/include halo2d.c -o halo2d -L<prefix>/lib -lwaitprof-smpi
 *   options="--cfg=smpi/simulate-computation:no --cfg=smpi/wtime:0"
 *   smpirun -np 64 -platform cluster.xml -hostfile hosts $options ./halo2d STEPS FLOPS SLOW_RANK FACTOR
 *
 * Every rank computes FLOPS in a step, SLOW_RANK FACTOR times as much. Each prints when it computed, waited
 * and reduced, in simulated nanoseconds: a recording of the run must agree with this.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <waitprof.h>

enum { CELLS = 1024, NEIGHBOURS = 4 };

struct Grid {
  MPI_Comm comm;
  int rank, neighbour[NEIGHBOURS];
  double in[NEIGHBOURS][CELLS], out[NEIGHBOURS][CELLS];
};

static long long now(void) {
  return llround(MPI_Wtime() * 1e9);
}

static void sweep(double flops) {
  waitprof_region_begin("sweep");
  smpi_execute_flops(flops);
  waitprof_region_end("sweep");
}

static void exchange(struct Grid* grid) {
  MPI_Request requests[2 * NEIGHBOURS];
  for (int i = 0; i < NEIGHBOURS; ++i) {
    MPI_Irecv(grid->in[i], CELLS, MPI_DOUBLE, grid->neighbour[i], i ^ 1, grid->comm, &requests[i]);
  }
  for (int i = 0; i < NEIGHBOURS; ++i) {
    MPI_Isend(grid->out[i], CELLS, MPI_DOUBLE, grid->neighbour[i], i, grid->comm, &requests[NEIGHBOURS + i]);
  }
  const long long sent = now();
  MPI_Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
  printf("%d exchange %lld %lld\n", grid->rank, sent, now());
}

static double residual(struct Grid* grid) {
  double own = 1.0 / (1 + grid->rank), sum = 0.0;
  const long long entered = now();
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, grid->comm);
  printf("%d allreduce %lld %lld\n", grid->rank, entered, now());
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 5) {
    fprintf(stderr, "usage: halo2d STEPS FLOPS SLOW_RANK FACTOR\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int steps = atoi(argv[1]), slow = atoi(argv[3]);
  struct Grid* grid = calloc(1, sizeof *grid);
  int ranks = 0, dims[2] = {0, 0}, periods[2] = {0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid->comm);
  MPI_Comm_rank(grid->comm, &grid->rank);
  MPI_Cart_shift(grid->comm, 0, 1, &grid->neighbour[0], &grid->neighbour[1]);
  MPI_Cart_shift(grid->comm, 1, 1, &grid->neighbour[2], &grid->neighbour[3]);
  const double flops = atof(argv[2]) * (grid->rank == slow ? atof(argv[4]) : 1.0);
  for (int step = 0; step < steps; ++step) {
    sweep(flops);
    exchange(grid);
    residual(grid);
  }
  printf("%d end %lld\n", grid->rank, now());
  free(grid);
  MPI_Finalize();
  return 0;
}
