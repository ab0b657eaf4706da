/* Six time steps, marked by waitprof_step() or, with an argument, by MPI_Pcontrol(2): each has a region and
 * an Allreduce. Outside of the steps there is one Barrier before them and one after them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "libwaitprof/include/waitprof.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < 6; ++step) {
    if (argc > 1) {
      MPI_Pcontrol(2);
    } else {
      waitprof_step();
    }
    double sum = 0.0;
    const double mine = 1.0;
    waitprof_region_begin("sum");
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    waitprof_region_end("sum");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
