// MPI_Finalize of MPICH before 4.2 over UCX: a rank that has disconnected waits for the others in PMI, where it makes no
// progress on messages. One that still needs its answer to disconnect waits for ever
// (https://github.com/pmodels/mpich/pull/6596). It happens where messages went to several ranks on other nodes, and so more
// often with those of the recorder.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// Before MPI_Finalize: while MPI waits there for its launcher it goes on with messages. Nothing where MPI is not built on
// UCX. Once per process.
void make_progress_in_finalize() noexcept;

}  // namespace waitprof
