// A thread's event buffer -> its event file.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/record/thread_state.hpp"

namespace waitprof::archive {

// Empties the buffer. False: nothing can be written any more; the events are counted as dropped.
bool write_events(ThreadState& thread);

}  // namespace waitprof::archive
