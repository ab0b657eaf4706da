/* A shared library that does nothing: stands in for the recorder where only `waitdiag run` itself is tested.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
const char* inert_recorder(void) {
  return "inert";
}
