/* Collectives that are nonblocking, persistent, over neighbours or with different blocks, and rank 0 late for
 * each. On 4 ranks in a line (0 - 1 - 2 - 3), with work of 2 units a step at rank 0, 5 steps:
 *
 *   Iallreduce, Wait           1, 2, 3 wait 2 units a step      (Wait at NxN)
 *   Bcast_init, Start, Wait    1, 2, 3 wait 2 units a step      (Late Broadcast; Ibcast before MPI 4)
 *   Ibarrier, 2 units, Wait    none waits: all work equally long
 *   Neighbor_alltoall          1 waits 2 units a step           (Late Neighbour)
 *   Alltoallv, 0 and 1 only    1 waits 2 units a step           (Wait at NxN)
 *   Iallgather, Irecv, Waitall 1, 2, 3 wait 2 units a step      (Wait at NxN; 1 for a message at the same
 * time)
 *
 * A Barrier ends every step.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "examples/emulate.h"

enum { kSteps = 5, kRanks = 4 };
static int rank, right, left;

static void rank_0_works(void) {
  if (rank == 0) emulate_ms(2.0 * options.unit_ms);
}

static void meet(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static void iallreduce(void) {
  int value = rank, sum;
  MPI_Request request;
  rank_0_works();
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent_bcast(void) {
  int value = rank;
  MPI_Request request = MPI_REQUEST_NULL;
#if MPI_VERSION >= 4
  MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#endif
  for (int step = 0; step < kSteps; ++step) {
    rank_0_works();
#if MPI_VERSION >= 4
    MPI_Start(&request);
#else
    MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    meet();
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

static void overlapped_ibarrier(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  emulate_ms(2.0 * options.unit_ms);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void neighbours(MPI_Comm line) {
  int out[2] = {rank, rank}, in[2];
  rank_0_works();
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, line);
}

static void pairs(void) {
  const int counts[kRanks] = {rank < 2, rank < 2, rank >= 2, rank >= 2}, places[kRanks] = {0, 1, 2, 3};
  int out[kRanks] = {0}, in[kRanks];
  rank_0_works();
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
}

static void mixed_waitall(void) {
  int value = rank, all[kRanks], received;
  MPI_Request requests[3];
  MPI_Irecv(&received, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[1]);
  rank_0_works();
  MPI_Isend(&value, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Iallgather(&value, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[0]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  const int dims[1] = {kRanks}, open_ended[1] = {0};
  MPI_Comm line;
  MPI_Init(&argc, &argv);
  read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  right = (rank + 1) % kRanks;
  left = (rank + kRanks - 1) % kRanks;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, open_ended, 0, &line);
  meet();
  for (int step = 0; step < kSteps; ++step) iallreduce(), meet();
  persistent_bcast();
  for (int step = 0; step < kSteps; ++step) overlapped_ibarrier(), meet();
  for (int step = 0; step < kSteps; ++step) neighbours(line), meet();
  for (int step = 0; step < kSteps; ++step) pairs(), meet();
  for (int step = 0; step < kSteps; ++step) mixed_waitall(), meet();
  MPI_Comm_free(&line);
  MPI_Finalize();
  return 0;
}
