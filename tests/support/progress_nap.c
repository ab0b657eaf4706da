/* Test aid, preloaded: lets more MPI ranks than cores share the machine.
 *
 * MPI polls for progress, so a waiting rank occupies the core that another one needs, and measured waits
 * depend on the scheduler. Every poll of MPICH calls ucp_worker_progress. Open MPI's call sched_yield where
 * they found nothing and mpi_yield_when_idle is set; a rank that yields still has its share of the core.
 * After 20 polls in a row that found nothing, sleep 20 us. No MPI name is touched.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kPatience = 20, kNapNanoseconds = 20000 };

static void poll_found_nothing(int* empty_polls) {
  if (++*empty_polls < kPatience) return;
  const struct timespec nap = {0, kNapNanoseconds};
  nanosleep(&nap, NULL);
  *empty_polls = 0;
}

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*real)(void*) = NULL;
  static __thread int empty_polls = 0;
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned progressed = real(worker);
  if (progressed != 0) {
    empty_polls = 0;
  } else {
    poll_found_nothing(&empty_polls);
  }
  return progressed;
}

int sched_yield(void) {
  static __thread int empty_polls = 0;
  if (getenv("OMPI_COMM_WORLD_RANK") != NULL) poll_found_nothing(&empty_polls);
  return (int)syscall(SYS_sched_yield);
}
