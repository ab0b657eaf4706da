/* A thread that calls MPI, on the smallest stack that a thread may have (16 KiB): enough for MPI alone. A second one
 * brings the memory of its stack along.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void pass_on(void) {
  int out = rank, in = -1;
  MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 0, &in, 1, MPI_INT, (rank + size - 1) % size, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void* in_thread(void* nothing) {
  pass_on();
  return nothing;
}

static void run_thread(const pthread_attr_t* attributes) {
  pthread_t thread;
  if (pthread_create(&thread, attributes, in_thread, NULL) != 0) abort();
  pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  enum { BROUGHT_ALONG = 1 << 16 };
  int provided;
  void* stack;
  pthread_attr_t attributes;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  pass_on(); /* connects */
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16384);
  run_thread(&attributes);
  if (posix_memalign(&stack, 4096, BROUGHT_ALONG) != 0) abort();
  pthread_attr_setstack(&attributes, stack, BROUGHT_ALONG);
  run_thread(&attributes);
  pthread_attr_destroy(&attributes);
  if (rank == 0) printf("small_stacks: done\n");
  return MPI_Finalize();
}
