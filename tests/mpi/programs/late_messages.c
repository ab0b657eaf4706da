/* All ranks exchange, and then send to rank 0 right before the end. Prints "all sent".
 * With any argument, alarms interrupt it meanwhile.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { kBytes = 20000 };

static void do_nothing(int number) {
  (void)number;
}

static void set_alarms(void) {
  const struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
  const struct itimerval often = {{0, 500}, {0, 500}};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
}

int main(int argc, char** argv) {
  static char bytes[kBytes];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) set_alarms();
  for (int i = 0; i < 3; ++i) MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 0) MPI_Send(bytes, kBytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  for (int from = 1; rank == 0 && from < size; ++from)
    MPI_Recv(bytes, kBytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) printf("all sent\n");
  MPI_Finalize();
  return 0;
}
