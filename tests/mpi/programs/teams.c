/* teams: two ranks whose OpenMP threads are uneven. In ten steps four threads sleep for computing: in flux() 10 ms, on
 * rank 0 thread 2 does so for 40 ms, and after a barrier all for 5 ms; in loop() eight iterations of 2 ms, dealt out
 * one by one; in deal() one thread makes eight tasks of 4 ms. Then the thread that called flux() sleeps for 20 ms alone.
 * All times are multiplied by the argument. `teams SCALE turns`: on rank 0, thread 0 waits in each step until the other
 * three have had their turns of 10 ms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 10, THREADS = 4, ITERATIONS = 8, LATE_THREAD = 2 };

static long scale = 1;

static void compute(long milliseconds) {
  const struct timespec time = {0, 1000000 * scale * milliseconds};
  nanosleep(&time, NULL);
}

__attribute__((noinline)) static void flux(int rank) {
#pragma omp parallel num_threads(THREADS)
  {
    compute(rank == 0 && omp_get_thread_num() == LATE_THREAD ? 40 : 10);
#pragma omp barrier
    compute(5);
  }
}

__attribute__((noinline)) static void loop(void) {
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 1)
  for (int i = 0; i < ITERATIONS; ++i) compute(2);
}

static volatile int
    dealt;  // something to do after the team: no tail call, so that deal() is on the stack meanwhile

__attribute__((noinline)) static void deal(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int i = 0; i < ITERATIONS; ++i) {
#pragma omp task
    compute(4);
  }
  ++dealt;
}

/* Thread 0 comes last. */
__attribute__((noinline)) static void turns(int rank) {
#pragma omp parallel num_threads(THREADS)
  {
    if (omp_get_thread_num() == 0) compute(5);
#pragma omp critical
    if (rank == 0 && omp_get_thread_num() != 0) compute(10);
  }
  ++dealt;
}

int main(int argc, char** argv) {
  int rank = 0, provided = 0;
  if (argc > 1) scale = strtol(argv[1], NULL, 10);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < STEPS && argc > 2; ++i) {
    turns(rank);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < STEPS && argc <= 2; ++i) {
    flux(rank);
    loop();
    deal();
    compute(20);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
