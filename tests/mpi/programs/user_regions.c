/* The guilty part is a region that the user marked (waitprof.h): its times are exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "late_worker.h"
#include "libwaitprof/include/waitprof.h"

double late_work(double units) {
  waitprof_region_begin("late region");
  emulate_ms(units * 10.0);
  waitprof_region_end("late region");
  return units;
}

int main(int argc, char** argv) {
  return late_worker(argc, argv);
}
