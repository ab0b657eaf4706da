// Threads that an MPI library starts for itself take no signals. While a tick is handled, its thread blocks all signals:
// one that is sent to the process meanwhile would go to any other thread that does not, and the program's handler
// would run there, where its siglongjmp leads to a stack that is another thread's.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// Those that are started from now on. Before MPI is initialised, once per process.
void keep_signals_from_helper_threads() noexcept;

}  // namespace waitprof
