// The recorder's data of every thread of the program. It is here because only a library that is loaded with
// the program has room for it (static TLS). The backends find it by name.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/callpath/path_memo.hpp"
#include "libwaitprof/regions/region_stack.hpp"

namespace waitprof {

constinit thread_local ThreadState this_thread;
constinit thread_local RegionStack this_stack = {};
constinit thread_local void* this_memo = nullptr;

}  // namespace waitprof
