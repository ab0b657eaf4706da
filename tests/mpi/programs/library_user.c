/* The guilty function is in a shared object (guilty_library.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "late_worker.h"

int main(int argc, char** argv) {
  return late_worker(argc, argv);
}
