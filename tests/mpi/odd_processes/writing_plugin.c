/* A library that writes for others.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

ssize_t write_by_plugin(int descriptor, const void* bytes, size_t n);

ssize_t write_by_plugin(int descriptor, const void* bytes, size_t n) {
  const ssize_t written = write(descriptor, bytes, n);
  return written;
}
