/* One of every kind of MPI call, the same calls as bindings.F90 makes in Fortran. Prints nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdlib.h>

static int rank, ranks, left, right;

static void point_to_point(void) {
  int out = rank, in, outs[3] = {rank, rank, rank}, ins[3], index, flag;
  MPI_Request requests[6];
  MPI_Message message;
  MPI_Status status;
  MPI_Sendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  MPI_Irecv(&in, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Send(&out, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i) {
    MPI_Irecv(&ins[i], 1, MPI_INT, left, 3 + i, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(&outs[i], 1, MPI_INT, right, 3 + i, MPI_COMM_WORLD, &requests[3 + i]);
  }
  MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  MPI_Isend(&out, 1, MPI_INT, right, 10, MPI_COMM_WORLD, &requests[0]);
  MPI_Probe(left, 10, MPI_COMM_WORLD, &status);
  MPI_Recv(&in, 1, MPI_INT, left, 10, MPI_COMM_WORLD, &status);
  MPI_Waitany(1, requests, &index, &status);
  MPI_Isend(&out, 1, MPI_INT, right, 11, MPI_COMM_WORLD, &requests[0]);
  MPI_Mprobe(left, 11, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
  for (flag = 0; !flag;) MPI_Test(&requests[0], &flag, &status);
  MPI_Isend(&out, 1, MPI_INT, right, 12, MPI_COMM_WORLD, &requests[0]);
  for (flag = 0; !flag;) MPI_Iprobe(left, 12, MPI_COMM_WORLD, &flag, &status);
  MPI_Recv(&in, 1, MPI_INT, left, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], &status);
  MPI_Irecv(&in, 1, MPI_INT, left, 13, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
}

static void persistent(void) {
  int out = rank, in;
  MPI_Request requests[2];
  MPI_Recv_init(&in, 1, MPI_INT, left, 20, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&out, 1, MPI_INT, right, 20, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Start(&requests[0]);
  MPI_Start(&requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void collectives(void) {
  int one = rank, sum, *all = malloc((size_t)ranks * sizeof *all);
  MPI_Request requests[2];
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allgather(&one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  free(all);
}

static void communicators(void) {
  const int dims[1] = {ranks}, periodic[1] = {1};
  int value = rank, sum, source, destination;
  MPI_Comm half, copy, grid;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_set_name(half, "half");
  MPI_Comm_dup(half, &copy);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &source, &destination);
  MPI_Sendrecv_replace(&value, 1, MPI_INT, destination, 30, source, 30, grid, MPI_STATUS_IGNORE);
  MPI_Comm_free(&grid);
}

static void windows_and_files(const char* file_name) {
  int memory[4] = {0}, value = rank;
  MPI_Win window;
  MPI_File file;
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_lock(MPI_LOCK_SHARED, left, 0, window);
  MPI_Get(&value, 1, MPI_INT, left, 0, 1, MPI_INT, window);
  MPI_Win_unlock(left, window);
  MPI_Win_free(&window);
  MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, 4L * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  left = (rank + ranks - 1) % ranks;
  right = (rank + 1) % ranks;
  point_to_point();
  persistent();
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  collectives();
  communicators();
  windows_and_files("bindings.data");
  MPI_Finalize();
  return 0;
}
