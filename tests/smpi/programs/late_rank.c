/* Rank 1 computes longer than the others, FACTOR times as long, or ranks 1, 3, ..., LATE of them; FACTOR 1
 * repairs that cause. Prints when each rank ended, in simulated seconds.
 *
 *   late_rank PATTERN BYTES FACTOR STEPS [LATE]
 *
 *   ring       faces to both neighbours at once: repaired, all of them share ports
 *   overlap    the same faces move while computing: repaired, they hide less
 *   chain      each passes data to the next, which has to wait for it
 *   reduce     all meet in MPI_Allreduce
 *   everybody  from and to each other rank, received one after the other
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <waitprof.h>

static const double kFlops = 2e6; /* of a rank and step */
static int rank, size, bytes, late = 1;
static double factor;
static char* buffer[4];

static void assemble(void) {
  waitprof_region_begin("assemble");
  smpi_execute_flops(kFlops * (rank % 2 == 1 && rank < 2 * late ? factor : 1));
  waitprof_region_end("assemble");
}

static void exchange(int computes_meanwhile) {
  MPI_Request requests[4];
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Irecv(buffer[0], bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(buffer[1], bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(buffer[2], bytes, MPI_BYTE, right, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(buffer[3], bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &requests[3]);
  if (computes_meanwhile) assemble();
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void to_and_from_everybody(void) {
  for (int other = 0; other < size; ++other)
    if (other != rank) MPI_Send(buffer[1], bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  for (int other = 0; other < size; ++other)
    if (other != rank) MPI_Recv(buffer[0], bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void step(const char* pattern) {
  if (!strcmp(pattern, "ring")) {
    assemble();
    exchange(0);
  } else if (!strcmp(pattern, "overlap")) {
    exchange(1);
  } else if (!strcmp(pattern, "everybody")) {
    assemble();
    to_and_from_everybody();
  } else if (!strcmp(pattern, "chain")) {
    if (rank > 0) MPI_Recv(buffer[0], bytes, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assemble();
    if (rank + 1 < size) MPI_Send(buffer[1], bytes, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
  } else {
    assemble();
    MPI_Allreduce(buffer[0], buffer[1], bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  bytes = atoi(argv[2]);
  factor = atof(argv[3]);
  if (argc > 5) late = atoi(argv[5]);
  for (int i = 0; i < 4; ++i) buffer[i] = calloc((size_t)bytes, 1);
  for (int i = 0; i < atoi(argv[4]); ++i) step(argv[1]);
  printf("%d %.12f\n", rank, MPI_Wtime());
  MPI_Finalize();
  return 0;
}
