/* Calls that MPI rejects, and callbacks that call MPI: statuses that are NULL, and for each error a handler
 * that exchanges a message with the other rank. On 2 ranks. Prints MPI's results.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

static int rank, exchanged;

static void exchange(void) {
  int out = rank, in = -1;
  MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 9, &in, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (in == 1 - rank) ++exchanged;
}

static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  exchange();
}

static int class_of(int result) {
  int class = 0;
  MPI_Error_class(result, &class);
  return class;
}

static void null_statuses(void) {
  MPI_Status* const none = NULL;
  MPI_Request requests[2];
  int out = 1, in[2], flag, index, count, indices[2];
  const struct {
    const char* name;
    int what;
  } calls[] = {{"Wait", 0}, {"Waitall", 1}, {"Waitany", 2}, {"Waitsome", 3},
               {"Test", 4}, {"Testall", 5}, {"Recv", 6}};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    int result = 0;
    MPI_Irecv(&in[0], 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[1]);
    switch (calls[i].what) {
      case 0:
        result = MPI_Wait(&requests[0], none);
        break;
      case 1:
        result = MPI_Waitall(2, requests, none);
        break;
      case 2:
        result = MPI_Waitany(2, requests, &index, none);
        break;
      case 3:
        result = MPI_Waitsome(2, requests, &count, indices, none);
        break;
      case 4:
        result = MPI_Test(&requests[0], &flag, none);
        break;
      case 5:
        result = MPI_Testall(2, requests, &flag, none);
        break;
      default:
        result = MPI_Recv(&in[1], 1, MPI_INT, rank, 2, MPI_COMM_WORLD, none);
    }
    printf("rank %d MPI_%s: class %d\n", rank, calls[i].name, class_of(result));
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  null_statuses();
  printf("rank %d exchanged %d\n", rank, exchanged);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return 0;
}
