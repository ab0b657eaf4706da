// What was freed in small pieces stays with the process unless it is told to give it back. Between stages it is
// told: the next one would take new memory for its large columns.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace waitdiag {

inline void give_back_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace waitdiag
