/* Runs of about a second, whose recording costs in different ways: cost_runs MODE
 *
 *   heavy    millions of calls of MPI          quiet    some calls, in between it sleeps
 *   threads  the same, and so do three threads a rank, which compute for a twentieth of the time
 *   waits    many calls of the C library that do not wait, and some that do
 *   teams    many short parallel regions (OpenMP)
 *   mixed    computes in teams, writes a file, sleeps and communicates, as programs do
 *
 * Where it sleeps, the processor time of two runs is nearly the same, also on a busy machine.
 * The program starts itself once more, and says in the end: "rank, seconds of processor time, seconds by
 * the clock".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 3, kSteps = 50 };

static __attribute__((noinline)) double compute(long rounds) {
  volatile double sum = 0.0;
  for (long i = 0; i < rounds; ++i) sum = sum * 0.999 + 1.0;
  return sum;
}

static void heavy(void) {
  double mine = 1.0, in;
  for (long i = 0; i < 4000000; ++i)
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, 0, 1, &in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void step(long rounds) {
  const struct timespec pause = {0, 1000000000 / kSteps};
  compute(rounds);
  nanosleep(&pause, NULL);
}

static void quiet(void) {
  for (int i = 0; i < kSteps; ++i) {
    step(0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void* worker(void* unused) {
  for (int i = 0; i < kSteps; ++i) step(250000);
  return unused;
}

static void threads(void) {
  pthread_t all[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&all[i], NULL, worker, NULL);
  quiet();
  for (int i = 0; i < kThreads; ++i) pthread_join(all[i], NULL);
}

static double seconds(struct timeval time) {
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void waits(void) {
  const struct timespec pause = {0, 100000};
  char byte = 0;
  int ends[2];
  if (pipe(ends) != 0) abort();
  for (int i = 0; i < 500; ++i) {
    for (int k = 0; k < 400; ++k)
      if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) abort();
    nanosleep(&pause, NULL);
  }
  close(ends[0]);
  close(ends[1]);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* In a team of two threads, where the compiler has OpenMP. */
static void compute_in_team(long rounds) {
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
#endif
  compute(rounds);
}

static void teams(void) {
  for (int i = 0; i < 20000; ++i) compute_in_team(10000);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void mixed(void) {
  static char block[1 << 16];
  const struct timespec pause = {0, 100000};
  double mine = 1.0, all;
  FILE* const file = tmpfile();
  if (file == NULL) abort();
  for (int i = 0; i < 300; ++i) {
    compute_in_team(1000000);
    rewind(file);
    fwrite(block, 1, sizeof block, file);
    fflush(file);
    nanosleep(&pause, NULL);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  fclose(file);
}

/* From the first instruction of the loader to the last of exit. */
static int measure(char** argv) {
  struct timeval start, end;
  gettimeofday(&start, NULL);
  const pid_t child = fork();
  if (child == 0) {
    setenv("COST_RUNS_CHILD", "1", 1);
    execv("/proc/self/exe", argv);
    _exit(127);
  }
  int status = 0;
  struct rusage used;
  if (wait4(child, &status, 0, &used) != child || status != 0) return 1;
  gettimeofday(&end, NULL);
  const char* rank = getenv("PMI_RANK");
  printf("%s %.6f %.6f\n", rank != NULL ? rank : "0", seconds(used.ru_utime) + seconds(used.ru_stime),
         seconds(end) - seconds(start));
  return 0;
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*work)(void);
  } modes[] = {{"heavy", heavy}, {"quiet", quiet}, {"threads", threads},
               {"waits", waits}, {"teams", teams}, {"mixed", mixed}};
  void (*work)(void) = NULL;
  for (size_t i = 0; i < sizeof modes / sizeof *modes && argc == 2; ++i)
    if (strcmp(argv[1], modes[i].name) == 0) work = modes[i].work;
  if (work == NULL) {
    fprintf(stderr, "usage: cost_runs heavy|quiet|threads|waits|teams|mixed\n");
    return 2;
  }
  if (getenv("COST_RUNS_CHILD") == NULL) return measure(argv);
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  work();
  MPI_Finalize();
  return 0;
}
