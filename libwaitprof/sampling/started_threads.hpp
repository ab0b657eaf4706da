// Threads that the program starts and joins: who started which, when it began and ended, and who waited for its
// end. Seen through import tables, as the calls that may block (off_cpu/); threads of MPI's libraries are not.
//
//   the thread that starts it   pthread_create()      ThreadCreate     its number
//                               thrd_create()
//   the thread                  from its first        ThreadBegin      ... samples, if it does not call MPI: it
//                               instruction on                         is a worker then
//                               returns, exits or     ThreadEnd
//                               is cancelled
//   the thread that joins it    pthread_join()        ThreadWait       behind the call, if that waited
//                               thrd_join()
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "libwaitprof/buffer/thread_state.hpp"
#include "libwaitprof/callpath/import_table.hpp"

namespace waitprof {

// The most of them about which something is known at one time, and that may begin in a second: others are as if they
// were not seen.
inline constexpr std::size_t kMostStartedThreads = 1024;
inline constexpr std::uint64_t kMostStartsInASecond = 2000;

// To be replaced (callpath/import_table.hpp), before calls that block, which joins are as well.
ImportReplacements imports_of_started_threads() noexcept;

// The calling thread, with this state, ends. Called any number of times.
void end_started_thread(ThreadState& thread) noexcept;

}  // namespace waitprof
