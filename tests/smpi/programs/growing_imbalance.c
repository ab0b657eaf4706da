/* Computation that all ranks share, and some that rank 0 does alone, which grows with the number of ranks: a
 * cause of waiting that hardly shows with few ranks. Prints when each rank ended, in simulated seconds.
 *
 *   growing_imbalance FLOPS STEPS      FLOPS of all ranks together in a step
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <waitprof.h>

static const double kFlopsPerRank = 2e4;

static void solve(double flops) {
  waitprof_region_begin("solve");
  smpi_execute_flops(flops);
  waitprof_region_end("solve");
}

static void merge_lists(int ranks) {
  waitprof_region_begin("merge_lists");
  smpi_execute_flops(kFlopsPerRank * ranks);
  waitprof_region_end("merge_lists");
}

int main(int argc, char** argv) {
  int rank, size;
  double own = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < atoi(argv[2]); ++step) {
    /* The last rank has a little more to do, and is the largest cause as long as there are few ranks. */
    solve(atof(argv[1]) / size * (rank == size - 1 ? 1.2 : 1));
    if (rank == 0) merge_lists(size);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  printf("%d %.12f\n", rank, MPI_Wtime());
  MPI_Finalize();
  return 0;
}
