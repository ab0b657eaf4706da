/* Waits of ranks that poll. In each step rank 1 works for 2 units before it sends to rank 0, which tests for
 * the message; the same with MPI_Iprobe, and with MPI_Request_get_status; with MPI_Iprobe and MPI_Test
 * that it sleeps between; the same before a nonblocking barrier that all others test for. Then it works for 1.5 units before it sends to rank 0, which works for 1
 * unit before each test: no wait.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#include "examples/emulate.h"

static int rank, value;

static NOINLINE void late_work(double units) {
  emulate_ms(units * options.unit_ms);
}

static NOINLINE void overlap(void) {
  emulate_ms(options.unit_ms);
}

static NOINLINE void test_until_done(MPI_Request* request) {
  int done = 0;
  while (!done) MPI_Test(request, &done, MPI_STATUS_IGNORE);
}

static NOINLINE void probe_until_there(void) {
  int there = 0;
  while (!there) MPI_Iprobe(1, 2, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}

static NOINLINE void ask_until_done(MPI_Request request) {
  int done = 0;
  while (!done) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
}

static NOINLINE void pause_between_polls(void) {
  emulate_ms(0.2 * options.unit_ms);
}

static void send_late(double units, int tag) {
  late_work(units);
  MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

static void tested(void) {
  MPI_Request request;
  if (rank == 1) send_late(2.0, 1);
  if (rank != 0) return;
  MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
  test_until_done(&request);
}

static void probed(void) {
  if (rank == 1) send_late(2.0, 2);
  if (rank != 0) return;
  probe_until_there();
  MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void asked(void) {
  MPI_Request request;
  if (rank == 1) send_late(2.0, 4);
  if (rank != 0) return;
  MPI_Irecv(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
  ask_until_done(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void probed_with_pauses(void) {
  if (rank == 1) send_late(2.0, 5);
  if (rank != 0) return;
  for (int there = 0;;) {
    MPI_Iprobe(1, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there) break;
    pause_between_polls();
  }
  MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tested_with_pauses(void) {
  MPI_Request request;
  if (rank == 1) send_late(2.0, 6);
  if (rank != 0) return;
  MPI_Irecv(&value, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &request);
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) break;
    pause_between_polls();
  }
}

static void barrier_tested(void) {
  MPI_Request request;
  if (rank == 1) late_work(2.0);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  test_until_done(&request);
}

static void overlapped(void) {
  MPI_Request request;
  if (rank == 1) send_late(1.5, 3);
  if (rank != 0) return;
  MPI_Irecv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    overlap();
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  void (*const parts[])(void) = {tested,         probed,    asked, probed_with_pauses, tested_with_pauses,
                                 barrier_tested, overlapped};
  MPI_Init(&argc, &argv);
  read_options(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < options.steps; ++step) {
    for (int part = 0; part < 7; ++part) {
      parts[part]();
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
