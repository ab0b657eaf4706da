/* One of every kind of point-to-point communication: persistent and partitioned requests, every Wait and
 * Test, probes, wildcards, null and self messages, cancelled receives, sub-communicators and a Cartesian
 * grid. Runs on any number of ranks; prints a checksum.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>

enum { kMessages = 4 };

static int rank, size, left, right;

static long persistent(void) {
  int out[kMessages], in[kMessages];
  long sum = 0;
  MPI_Request requests[2 * kMessages];
  for (int i = 0; i < kMessages; ++i) {
    MPI_Recv_init(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Send_init(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[kMessages + i]);
  }
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kMessages; ++i) out[i] = 100 * rank + 10 * round + i;
    MPI_Startall(2 * kMessages, requests);
    MPI_Waitall(2 * kMessages, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kMessages; ++i) sum += in[i];
  }
  for (int i = 0; i < 2 * kMessages; ++i) MPI_Request_free(&requests[i]);
  return sum;
}

static void post(MPI_Request* requests, int* in, const int* out) {
  for (int i = 0; i < kMessages; ++i) {
    MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[kMessages + i]);
  }
}

/* Every way to complete a set of requests. */
static long completions(void) {
  int in[kMessages], out[kMessages] = {1, 2, 3, 4}, indices[2 * kMessages], done, index, flag;
  MPI_Request requests[2 * kMessages];
  MPI_Status statuses[2 * kMessages];
  long sum = 0;
  post(requests, in, out);
  for (int left_over = 2 * kMessages; left_over > 0; left_over -= done)
    MPI_Waitsome(2 * kMessages, requests, &done, indices, statuses);
  for (int i = 0; i < kMessages; ++i) sum += in[i];
  post(requests, in, out);
  for (int left_over = 2 * kMessages; left_over > 0; left_over -= done)
    MPI_Testsome(2 * kMessages, requests, &done, indices, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kMessages; ++i) sum += in[i];
  post(requests, in, out);
  for (int i = 0; i < 2 * kMessages; ++i) MPI_Waitany(2 * kMessages, requests, &index, MPI_STATUS_IGNORE);
  post(requests, in, out);
  for (int i = 0; i < 2 * kMessages; i += flag)
    MPI_Testany(2 * kMessages, requests, &index, &flag, MPI_STATUS_IGNORE);
  post(requests, in, out);
  do {
    MPI_Testall(2 * kMessages, requests, &flag, MPI_STATUSES_IGNORE);
  } while (!flag);
  post(requests, in, out);
  for (int i = 0; i < 2 * kMessages; ++i) {
    for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < kMessages; ++i) sum += in[i];
  return sum;
}

static long probes(void) {
  int out = rank, in = 0, flag = 0;
  long sum = 0;
  MPI_Request request;
  MPI_Message message;
  MPI_Status status;
  MPI_Isend(&out, 1, MPI_INT, right, 40, MPI_COMM_WORLD, &request);
  MPI_Probe(MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &status);
  MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sum += in;
  MPI_Issend(&out, 1, MPI_INT, right, 41, MPI_COMM_WORLD, &request);
  MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sum += in;
  MPI_Isend(&out, 1, MPI_INT, right, 42, MPI_COMM_WORLD, &request);
  while (!flag) MPI_Iprobe(left, 42, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Improbe(left, 42, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Request receive;
  MPI_Imrecv(&in, 1, MPI_INT, &message, &receive);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return sum + in;
}

static long odd_ones(void) {
  int out = 7, in = 0;
  MPI_Request request;
  MPI_Sendrecv(&out, 1, MPI_INT, right, 50, &in, 1, MPI_INT, left, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 51, MPI_COMM_WORLD);
  MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 51, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(&in, 1, MPI_INT, rank, 52, MPI_COMM_WORLD, &request);
  MPI_Ssend(&out, 1, MPI_INT, rank, 52, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(NULL, 0, MPI_DATATYPE_NULL, left, 54, MPI_COMM_WORLD, &request); /* nothing, of no type */
  MPI_Send(NULL, 0, MPI_DATATYPE_NULL, right, 54, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(&in, 1, MPI_INT, left, 53, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return out + in;
}

/* Partitions that become ready one by one, in a list and in a range; and an ordinary message of the same tag,
 * which overtakes them. */
static long partitions(void) {
  int out[4] = {1, 2, 3, rank}, in[4] = {0}, plain = 5, other = 0, list[1] = {2}, arrived;
  MPI_Request requests[3];
  MPI_Psend_init(out, 4, 1, MPI_INT, right, 70, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, 2, 2, MPI_INT, left, 70, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < 2; ++round) {
    MPI_Startall(2, requests);
    MPI_Pready(3, requests[0]);
    MPI_Isend(&plain, 1, MPI_INT, right, 70, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv(&other, 1, MPI_INT, left, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Pready_list(1, list, requests[0]);
    MPI_Pready_range(0, 1, requests[0]);
    MPI_Parrived(requests[1], 1, &arrived);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  return in[0] + in[1] + in[2] + in[3] + other;
}

static long communicators(void) {
  const int dims[1] = {size}, periodic[1] = {1};
  int source, destination, value = rank, key = 0, sum = 0;
  MPI_Comm half, copy, grid;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_set_name(half, "half");
  MPI_Comm_dup(half, &copy);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, copy);
  MPI_Comm_free(&copy);
  MPI_Comm_rank(half, &key);
  MPI_Comm_free(&half);
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &source, &destination);
  MPI_Sendrecv_replace(&value, 1, MPI_INT, destination, 60, source, 60, grid, MPI_STATUS_IGNORE);
  MPI_Comm_free(&grid);
  return sum + key + value;
}

int main(int argc, char** argv) {
  long sum, total = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  sum = persistent() + completions() + probes() + odd_ones() + partitions() + communicators();
  MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("mixture: %ld\n", total);
  MPI_Finalize();
  return 0;
}
