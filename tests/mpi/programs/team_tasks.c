/* team_tasks: a rank whose OpenMP threads wait for tasks. In ten steps, behind a barrier, thread 0 of four makes a task that
 * sleeps for 30 ms, waits for another thread to execute it, and sleeps for 20 ms. `team_tasks SCALE taskwait`,
 * `taskgroup`, `depend`, `undeferred`: how it waits. `idle`: thread 0 sleeps first and makes the task then; all wait in a
 * barrier meanwhile. `nested`: tasks wait for certain tasks, while their threads are at the end of the team. All times are
 * multiplied by SCALE. Says at the end: "seconds that a thread slept on average, that threads waited for tasks, that the team
 * took longer by that".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 10, THREADS = 4, PAIRS = 8 };

static long scale = 1;
static double slept[THREADS], waited[THREADS]; /* between the two barriers of this step */
static double slept_in_all;
static double came[THREADS]; /* to the second barrier */
static volatile int begun;

static double compute(long milliseconds) {
  const struct timespec time = {0, 1000000 * scale * milliseconds};
  const double begin = omp_get_wtime();
  nanosleep(&time, NULL);
  const double end = omp_get_wtime();
#pragma omp atomic
  slept_in_all += end - begin;
  return end - begin;
}

static void execute(int idle) {
  const int number = omp_get_thread_num();
  if (idle) waited[number] = omp_get_wtime() - came[number];
  begun = 1;
  slept[number] += compute(30);
}

static void until_begun(void) {
  while (!begun) slept[0] += compute(1);
}

static double wait_for_task(const char* how) {
  int made = 0;
  double since = 0;
  if (strcmp(how, "taskgroup") == 0) {
#pragma omp taskgroup
    {
#pragma omp task
      execute(0);
      until_begun();
      since = omp_get_wtime();
    }
  } else if (strcmp(how, "taskwait") == 0) {
#pragma omp task
    execute(0);
    until_begun();
    since = omp_get_wtime();
#pragma omp taskwait
  } else {
#pragma omp task depend(out : made)
    execute(made);
    until_begun();
    since = omp_get_wtime();
    if (strcmp(how, "depend") == 0) {
#pragma omp taskwait depend(in : made)
    } else {
#pragma omp task if (0) depend(in : made)
      ++made;
    }
  }
  return omp_get_wtime() - since;
}

static volatile int done; /* something to do after the team: no tail call */

__attribute__((noinline)) static void tasks(const char* how) {
#pragma omp parallel num_threads(THREADS)
  {
    compute(2);
#pragma omp barrier
    if (omp_get_thread_num() == 0 && strcmp(how, "idle") == 0) {
      slept[0] += compute(20);
#pragma omp task
      execute(1);
      until_begun();
    } else if (omp_get_thread_num() == 0) {
      waited[0] = wait_for_task(how);
      slept[0] += compute(20);
    }
    came[omp_get_thread_num()] = omp_get_wtime();
#pragma omp barrier
    compute(2);
  }
  ++done;
}

static void make_pair(void) {
  int made = 0;
#pragma omp task depend(out : made)
  compute(2 + made);
#pragma omp task depend(out : made)
  compute(2 + made);
#pragma omp taskwait depend(in : made)
}

__attribute__((noinline)) static void nested(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp master
  for (int pair = 0; pair < PAIRS; ++pair) {
#pragma omp task
    make_pair();
  }
  ++done;
}

int main(int argc, char** argv) {
  double all_waited = 0, lost = 0;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (argc > 1) scale = strtol(argv[1], NULL, 10);
  const char* const how = argc > 2 ? argv[2] : "taskwait";
  for (int step = 0; step < STEPS; ++step) {
    double slowest = 0, with_tasks = 0;
    begun = 0;
    for (int i = 0; i < THREADS; ++i) slept[i] = waited[i] = 0;
    if (strcmp(how, "nested") == 0)
      nested();
    else
      tasks(how);
    for (int i = 0; i < THREADS; ++i) {
      if (slept[i] > slowest) slowest = slept[i];
      if (slept[i] + waited[i] > with_tasks) with_tasks = slept[i] + waited[i];
      all_waited += waited[i];
    }
    lost += with_tasks - slowest;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("%.9f %.9f %.9f\n", slept_in_all / THREADS, all_waited, lost);
  MPI_Finalize();
  return 0;
}
