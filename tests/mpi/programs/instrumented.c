/* The guilty function is instrumented by the compiler (-finstrument-functions): its times are exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "late_worker.h"

double late_work(double duration_ms) {
  emulate_ms(duration_ms);
  return duration_ms;
}

int main(int argc, char** argv) {
  return late_worker(argc, argv);
}
