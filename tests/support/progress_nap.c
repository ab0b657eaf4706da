/* Test aid, preloaded: lets more MPICH ranks than cores share the machine.
 *
 * MPICH polls for progress and never yields, so a waiting rank occupies the core that another one needs, and
 * measured waits depend on the scheduler. Every such poll calls ucp_worker_progress: after 20 polls in a row
 * that found nothing, sleep 20 us. No MPI name is touched.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

enum { kPatience = 20, kNapNanoseconds = 20000 };

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*real)(void*) = NULL;
  static __thread int empty_polls = 0;
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned progressed = real(worker);
  if (progressed != 0) {
    empty_polls = 0;
  } else if (++empty_polls >= kPatience) {
    const struct timespec nap = {0, kNapNanoseconds};
    nanosleep(&nap, NULL);
    empty_polls = 0;
  }
  return progressed;
}
