/* The guilty function of late_worker.h, in a shared object of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "examples/emulate.h"

double late_work(double duration_ms);

double late_work(double duration_ms) {
  emulate_ms(duration_ms);
  return duration_ms;
}
