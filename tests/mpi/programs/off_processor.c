/* off_processor blocks|marked|unnamed|preempted: rank 0 is late at every barrier without computing more than rank 1.
 *
 *   blocks     it sleeps for 30 ms in write_output()
 *   marked     the same, in a region "output" of its own
 *   unnamed    the same, by a bare system call in write_output()
 *   preempted  a child process on its processor computes as well
 *
 * Each rank says at the end: "rank, seconds off the processor outside of MPI".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libwaitprof/include/waitprof.h"

enum { STEPS = 10 };

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) static void kernel(double processor_time) {
  const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + processor_time;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) continue;
}

/* Through no table of the loader's. */
static void sleep_unseen(const struct timespec* time) {
#if defined(__x86_64__)
  long result = 0;
  __asm__ volatile("mov $35, %%eax\n\tsyscall" : "=a"(result) : "D"(time), "S"(0) : "rcx", "r11", "memory");
#else
  syscall(SYS_nanosleep, time, NULL);
#endif
}

__attribute__((noinline)) static void write_output(const char* how) {
  const int marked = strcmp(how, "marked") == 0;
  const struct timespec late = {0, 30000000};
  if (marked) waitprof_region_begin("output");
  if (strcmp(how, "unnamed") == 0)
    sleep_unseen(&late);
  else
    usleep(30000);
  if (marked) waitprof_region_end("output");
}

static double off_processor, left_mpi, used_then;

static void leave_mpi(void) {
  left_mpi = seconds(CLOCK_MONOTONIC);
  used_then = seconds(CLOCK_THREAD_CPUTIME_ID);
}

static void enter_mpi(void) {
  off_processor += seconds(CLOCK_MONOTONIC) - left_mpi - (seconds(CLOCK_THREAD_CPUTIME_ID) - used_then);
}

static void barrier(void) {
  enter_mpi();
  MPI_Barrier(MPI_COMM_WORLD);
  leave_mpi();
}

__attribute__((noinline)) static void step(const char* how, int rank) {
  kernel(0.02);
  if (rank == 0 && strcmp(how, "preempted") != 0) write_output(how);
  barrier();
}

static pid_t start_neighbour(void) {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  sched_setaffinity(0, sizeof here, &here);
  const pid_t child = fork();
  while (child == 0) continue;
  return child;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "blocks";
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  leave_mpi();
  const pid_t neighbour = rank == 0 && strcmp(how, "preempted") == 0 ? start_neighbour() : 0;
  barrier();
  for (int i = 0; i < STEPS; ++i) step(how, rank);
  if (neighbour > 0) {
    kill(neighbour, SIGKILL);
    waitpid(neighbour, NULL, 0);
  }
  enter_mpi();
  printf("%d %.9f\n", rank, off_processor);
  MPI_Finalize();
  return 0;
}
