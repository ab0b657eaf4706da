/* off_processor blocks|marked|by_number|unnamed|preempted|pages|more|much_more|late|even|polls: rank 0 is late at every barrier without computing more than rank 1.
 *
 *   blocks     it sleeps for 30 ms in write_output()
 *   marked     the same, in a region "output" of its own
 *   by_number  the same, by syscall()
 *   unnamed    the same, by a bare system call in write_output()
 *   preempted  a child process on its processor computes as well
 *   pages      it touches pages of a file that are on the disk only
 *   more       it does compute more, twice as much
 *   much_more  it computes four times as much
 *   late       it comes 300 ms late to MPI_Init and to MPI_Finalize
 *   even       it is not late at all
 *   polls      rank 1 waits for a message of its: sleeps half a millisecond, tests, and so on
 *
 * Each rank says at the end: "rank, seconds off the processor outside of MPI, pages for which it slept".
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libwaitprof/include/waitprof.h"

enum { STEPS = 10, PAGES_OF_STEP = 200 };

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) static void kernel(double processor_time) {
  const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + processor_time;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) continue;
}

/* Through none of the loader's tables. */
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
  else if (strcmp(how, "by_number") == 0)
    syscall(SYS_nanosleep, &late, NULL);
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

static volatile const char* pages;
static size_t page_bytes;
static int pages_waited_for;

/* Far from each other: the kernel reads some ahead. */
enum { PAGES_APART = 64 };

/* A file whose pages the kernel has dropped again. */
static void map_pages_of_file(void) {
  page_bytes = (size_t)sysconf(_SC_PAGESIZE);
  const size_t bytes = page_bytes * PAGES_APART * PAGES_OF_STEP * STEPS;
  char name[] = "pages.XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  char one[4096] = {1};
  for (size_t page = 0; page < (size_t)PAGES_OF_STEP * STEPS; ++page)
    if (pwrite(file, one, sizeof one, (off_t)(page * PAGES_APART * page_bytes)) != (ssize_t)sizeof one)
      _exit(1);
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  pages = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
  madvise((void*)pages, bytes, MADV_RANDOM);
}

static long times_asleep(void) {
  struct rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

/* A page that comes before the thread has fallen asleep costs no waiting, though a host may have been at work for it: that
 * is no time off the processor here. */
__attribute__((noinline)) static int touch_pages(int step) {
  int sum = 0;
  for (size_t page = 0; page < PAGES_OF_STEP; ++page) {
    const long asleep_before = times_asleep();
    enter_mpi();
    leave_mpi();
    sum += pages[((size_t)step * PAGES_OF_STEP + page) * PAGES_APART * page_bytes];
    if (times_asleep() == asleep_before)
      leave_mpi();
    else
      ++pages_waited_for;
  }
  return sum;
}

__attribute__((noinline)) static void poll_with_pauses(int rank) {
  int done = 0, value = 0;
  MPI_Request request;
  if (rank == 0) kernel(0.02);
  enter_mpi();
  if (rank == 0)
    MPI_Isend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
  else
    MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  do {
    usleep(500);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  } while (!done);
  leave_mpi();
}

__attribute__((noinline)) static void step(const char* how, int rank, int number) {
  if (strcmp(how, "polls") == 0) return poll_with_pauses(rank);
  kernel(0.02);
  if (rank != 0 || strcmp(how, "preempted") == 0 || strcmp(how, "late") == 0 || strcmp(how, "even") == 0)
    ;
  else if (strcmp(how, "pages") == 0)
    touch_pages(number);
  else if (strcmp(how, "more") == 0)
    kernel(0.02);
  else if (strcmp(how, "much_more") == 0)
    kernel(0.06);
  else
    write_output(how);
  barrier();
}

/* Rank 0 stays on its processor, the other rank keeps away from it where it can. */
static void keep_apart(int rank) {
  int processor = sched_getcpu();
  MPI_Bcast(&processor, 1, MPI_INT, 0, MPI_COMM_WORLD);
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  if (rank == 0) {
    CPU_ZERO(&allowed);
    CPU_SET(processor, &allowed);
  } else {
    CPU_CLR(processor, &allowed);
  }
  sched_setaffinity(0, sizeof allowed, &allowed);
}

static pid_t start_neighbour(void) {
  const pid_t child = fork();
  while (child == 0) continue;
  return child;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "blocks";
  const int late = strcmp(how, "late") == 0;
  const char* own = getenv("PMI_RANK");
  int rank = 0;
  if (late && own != NULL && strcmp(own, "0") == 0) usleep(300000);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(how, "pages") == 0 && rank == 0) map_pages_of_file();
  if (strcmp(how, "preempted") == 0) keep_apart(rank);
  leave_mpi();
  const pid_t neighbour = rank == 0 && strcmp(how, "preempted") == 0 ? start_neighbour() : 0;
  barrier();
  for (int i = 0; i < STEPS; ++i) step(how, rank, i);
  if (neighbour > 0) {
    kill(neighbour, SIGKILL);
    waitpid(neighbour, NULL, 0);
  }
  enter_mpi();
  printf("%d %.9f %d\n", rank, off_processor, pages_waited_for);
  if (late && rank == 0) usleep(300000);
  MPI_Finalize();
  return 0;
}
