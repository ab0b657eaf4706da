/* Rank 0 is late in one of two calls of work(), and before one of two barriers. The test finds the lines by
 * their comments.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "examples/emulate.h"

__attribute__((noinline)) static double work(double duration_ms) {
  emulate_ms(duration_ms);
  return duration_ms;
}

int main(int argc, char** argv) {
  int rank;
  double done = 0.0;
  MPI_Init(&argc, &argv);
  read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < options.steps; ++step) {
    done += work(options.unit_ms);                           /* balanced */
    MPI_Barrier(MPI_COMM_WORLD);                             /* nobody waits */
    done += work((rank == 0 ? 3.0 : 1.0) * options.unit_ms); /* late */
    MPI_Barrier(MPI_COMM_WORLD);                             /* all wait */
  }
  if (rank == 0) printf("two calls: %.1f\n", done);
  MPI_Finalize();
  return 0;
}
