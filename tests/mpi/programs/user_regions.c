/* The guilty part is a region that the user marked (waitprof.h): its times are exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "late_worker.h"
#include "libwaitprof/include/waitprof.h"

double late_work(double duration_ms) {
  waitprof_region_begin("late region");
  emulate_ms(duration_ms);
  waitprof_region_end("late region");
  return duration_ms;
}

int main(int argc, char** argv) {
  return late_worker(argc, argv);
}
