/* A shared library that does nothing: stands in for the recorder where only `waitdiag run` itself is tested.
 * With BUILT_FOR for its backend.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifdef BUILT_FOR
__attribute__((section("waitprof_built_for"), used)) static const char built_for[] = BUILT_FOR;
#endif

const char* inert_recorder(void) {
  return "inert";
}
