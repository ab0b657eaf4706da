/* The guilty function of late_worker.h, in a shared object of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "examples/emulate.h"

double late_work(double units);

double late_work(double units) {
  emulate_ms(units * 10.0);
  return units;
}
