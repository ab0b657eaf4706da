/* The guilty function is instrumented by the compiler (-finstrument-functions): its times are exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "late_worker.h"

double late_work(double units) {
  emulate_ms(units * 10.0);
  return units;
}

int main(int argc, char** argv) {
  return late_worker(argc, argv);
}
