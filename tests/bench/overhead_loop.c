/* What a recorder adds to one MPI call: overhead_loop MODE CALLS DEPTH
 *
 * Makes about CALLS MPI calls, DEPTH frames below main, and prints the nanoseconds per call. The time of
 * a single rank is its CPU time, that of several the wall time between two barriers.
 *
 *   self       Sendrecv to itself        halo        2 Irecv, 2 Isend, Waitall with the neighbours
 *   allreduce  8 bytes                   pingpong    Send, Recv between ranks 0 and 1
 *   test       of a request that is not complete     iprobe  for a message that does not come
 *   comm_rank  not recorded              compute    the same, 1 us of computation before each: what samples
 * cost
 *   threads    one in 1000 of them: a thread that is created and joined, with a pause so that all are recorded
 *   locks      pthread_mutex_lock and unlock in such a thread
 *   signals    pthread_cond_signal, for which nobody waits
 *   semaphore  sem_post, and sem_wait that need not wait
 *   wakes      one in 100 of them: a thread and the main thread wake each other in turn
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

static void sendrecv_to_self(long calls) {
  double out = 1.0, in;
  for (long i = 0; i < calls; ++i)
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, rank, 1, &in, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void halo(long calls) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  double out[2] = {1.0, 2.0}, in[2];
  MPI_Request requests[4];
  for (long i = 0; i < calls / 5; ++i) {
    MPI_Irecv(&in[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&out[0], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&out[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
}

static void allreduce(long calls) {
  double mine = 1.0, sum;
  for (long i = 0; i < calls; ++i) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void pingpong(long calls) {
  double ball = 1.0;
  const int other = 1 - rank;
  for (long i = 0; i < calls / 2; ++i) {
    if (rank == 0) MPI_Send(&ball, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
    MPI_Recv(&ball, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&ball, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
  }
}

static void failed_test(long calls) {
  double ball = 1.0, in;
  MPI_Request request;
  int done = 0;
  MPI_Irecv(&in, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD, &request);
  for (long i = 0; i < calls; ++i) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  MPI_Send(&ball, 1, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void failed_iprobe(long calls) {
  int found = 0;
  for (long i = 0; i < calls; ++i) MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void comm_rank(long calls) {
  for (long i = 0; i < calls; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void compute(long calls) {
  volatile double sum = 0.0;
  for (long i = 0; i < calls; ++i) {
    for (int k = 0; k < 400; ++k) sum = sum * 0.999 + 1.0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  }
}

enum { kCallsAThread = 1000 };

static void* do_nothing(void* unused) {
  return unused;
}

static void threads(long calls) {
  const struct timespec pause = {0, 600000};
  for (long i = 0; i < calls / kCallsAThread; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, do_nothing, NULL);
    pthread_join(thread, NULL);
    nanosleep(&pause, NULL);
  }
}

static void* lock(void* calls) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (long i = 0; i < *(const long*)calls; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void locks(long calls) {
  pthread_t thread;
  pthread_create(&thread, NULL, lock, &calls);
  pthread_join(thread, NULL);
}

static pthread_mutex_t of_turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next_turn = PTHREAD_COND_INITIALIZER;

static void signals(long calls) {
  for (long i = 0; i < calls; ++i) pthread_cond_signal(&next_turn);
}

static void semaphore(long calls) {
  sem_t some;
  sem_init(&some, 0, 0);
  for (long i = 0; i < calls; ++i) {
    sem_post(&some);
    sem_wait(&some);
  }
}

enum { kCallsAWake = 100 };

struct Turns {
  int mine;
  long count;
};
static int turn = 0;

static void* take_turns(void* of) {
  const struct Turns* const turns = of;
  pthread_mutex_lock(&of_turn);
  for (long i = 0; i < turns->count; ++i) {
    while (turn != turns->mine) pthread_cond_wait(&next_turn, &of_turn);
    turn = 1 - turn;
    pthread_cond_signal(&next_turn);
  }
  pthread_mutex_unlock(&of_turn);
  return NULL;
}

static void wakes(long calls) {
  struct Turns turns[] = {{0, calls / kCallsAWake}, {1, calls / kCallsAWake}};
  pthread_t thread;
  pthread_create(&thread, NULL, take_turns, &turns[1]);
  take_turns(&turns[0]);
  pthread_join(thread, NULL);
}

/* Real programs call MPI deep in the call tree. The volatile keeps every frame: nothing is a tail call. */
static __attribute__((noinline)) void descend(int depth, void (*work)(long), long calls) {
  volatile int here = depth;
  if (depth > 1) {
    descend(depth - 1, work, calls);
  } else {
    work(calls);
  }
  here = 0;
  (void)here;
}

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*work)(long);
  } modes[] = {{"self", sendrecv_to_self},
               {"halo", halo},
               {"allreduce", allreduce},
               {"pingpong", pingpong},
               {"test", failed_test},
               {"iprobe", failed_iprobe},
               {"comm_rank", comm_rank},
               {"compute", compute},
               {"threads", threads},
               {"locks", locks},
               {"signals", signals},
               {"semaphore", semaphore},
               {"wakes", wakes}};
  const int mode_count = sizeof modes / sizeof *modes;
  void (*work)(long) = NULL;
  for (int i = 0; i < mode_count && argc == 4; ++i)
    if (strcmp(argv[1], modes[i].name) == 0) work = modes[i].work;
  if (work == NULL) {
    fprintf(stderr,
            "usage: overhead_loop self|halo|allreduce|pingpong|test|iprobe|comm_rank|compute|threads|locks "
            "CALLS DEPTH\n");
    return 2;
  }
  const long calls = atol(argv[2]);
  const int depth = atoi(argv[3]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const clockid_t clock = size == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  descend(depth, work, calls / 10); /* warm-up */
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = seconds(clock);
  descend(depth, work, calls);
  MPI_Barrier(MPI_COMM_WORLD);
  const double elapsed = seconds(clock) - start;
  if (rank == 0) printf("%.3f\n", 1e9 * elapsed / (double)calls);
  MPI_Finalize();
  return 0;
}
