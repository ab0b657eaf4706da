/* Messages that programs of the population post, and complete together.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef WAITPROF_POSTED_H
#define WAITPROF_POSTED_H

#include "population.h"

static MPI_Request requests[2048];
static int open; /* requests not completed yet */

static inline void post(int count, int to, int from, int tag) {
  if (from >= 0) MPI_Irecv(in, count, MPI_DOUBLE, from, tag, world, &requests[open++]);
  if (to >= 0) MPI_Isend(out, count, MPI_DOUBLE, to, tag, world, &requests[open++]);
}

static inline void finish(void) {
  MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  open = 0;
}

#endif
