// MPI calls of threads that efficiencies say nothing about: they count a process by the thread that
// initialised MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/patterns/wait_states.hpp"

namespace waitdiag {

// Adds "mpi_in_other_threads": how many threads, and what they spent in MPI.
void add_mpi_in_other_threads(const Trace& trace, const WaitStates& states, Anomalies& anomalies);

}  // namespace waitdiag
