// Memory that will be read soon is fetched while something else is computed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitdiag {

[[gnu::always_inline]] inline void fetch(const void* at) {
  // GCC takes a function that does nothing but fetch for one without any effect, and leaves out calls of it.
  asm volatile("" ::"r"(at));
  __builtin_prefetch(at);
}

}  // namespace waitdiag
