/* One of each kind of operation that SMPI has: persistent and nonblocking messages, every Wait and Test,
 * probes, wildcards, null messages, communicators, collectives, a window. Runs on any number of ranks; prints
 * a checksum and the time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 4 };

static int rank, size, left, right;

static long persistent(void) {
  int out[MESSAGES], in[MESSAGES];
  long sum = 0;
  MPI_Request requests[2 * MESSAGES];
  for (int i = 0; i < MESSAGES; ++i) {
    MPI_Recv_init(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Send_init(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[MESSAGES + i]);
  }
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < MESSAGES; ++i) out[i] = 100 * rank + 10 * round + i;
    MPI_Startall(2 * MESSAGES, requests);
    MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MESSAGES; ++i) sum += in[i];
  }
  for (int i = 0; i < 2 * MESSAGES; ++i) MPI_Request_free(&requests[i]);
  return sum;
}

static long completions(void) {
  int in[MESSAGES], done = 0, index = 0, found = 0, indices[MESSAGES];
  MPI_Request receives[MESSAGES], sends[MESSAGES];
  for (int i = 0; i < MESSAGES; ++i) {
    MPI_Irecv(&in[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : left, 10 + i, MPI_COMM_WORLD, &receives[i]);
  }
  for (int i = 0; i < MESSAGES; ++i) {
    const int value = rank + i;
    MPI_Send(&value, 1, MPI_INT, right, 10 + i, MPI_COMM_WORLD);
    MPI_Isend(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &sends[i]);
  }
  MPI_Wait(&receives[0], MPI_STATUS_IGNORE);
  MPI_Waitany(MESSAGES, receives, &index, MPI_STATUS_IGNORE);
  while (!done) MPI_Testany(MESSAGES, receives, &index, &done, MPI_STATUS_IGNORE);
  MPI_Waitsome(MESSAGES, receives, &found, indices, MPI_STATUSES_IGNORE);
  for (done = 0; !done;) MPI_Testall(MESSAGES, sends, &done, MPI_STATUSES_IGNORE);
  return in[0] + in[1] + in[2] + in[3];
}

static long probed(void) {
  int value = rank, other = 0, flag = 0, count = 0;
  MPI_Status status;
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_INT, right, 20, MPI_COMM_WORLD, &request);
  MPI_Probe(MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &status);
  while (!flag) MPI_Iprobe(status.MPI_SOURCE, 20, MPI_COMM_WORLD, &flag, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Recv(&other, count, MPI_INT, status.MPI_SOURCE, 20, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&other, 1, MPI_INT, right, 21, &value, 1, MPI_INT, left, 21, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  return other + value;
}

static long collectives(MPI_Comm comm) {
  int own = rank + 1, sum = 0, least = 0, members = 0;
  MPI_Request request;
  MPI_Comm_size(comm, &members);
  int* all = calloc((size_t)members, sizeof *all);
  MPI_Bcast(&own, 1, MPI_INT, 0, comm);
  MPI_Reduce(&own, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
  MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, comm);
  MPI_Iallreduce(&rank, &least, 1, MPI_INT, MPI_MIN, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  const long value = own + sum + least + all[members - 1];
  free(all);
  return value;
}

static long communicators(void) {
  MPI_Comm copy, half;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_name(copy, "copy");
  MPI_Comm_split(copy, rank % 2, -rank, &half);
  const long value = collectives(copy) + collectives(half);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  return value;
}

static long window(void) {
  int memory = 0;
  MPI_Win win;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  return memory;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  const long sum = persistent() + completions() + probed() + communicators() + window();
  printf("%d: %ld at %.9f\n", rank, sum, MPI_Wtime());
  MPI_Finalize();
  return 0;
}
