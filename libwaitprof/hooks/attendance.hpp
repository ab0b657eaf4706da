// Whether all ranks of a job have this library. Who asks the others over MPI waits for ever for one that does
// not answer (a part of the job whose MPI is linked statically, a preload for some ranks or nodes only), and
// a message could meet a receive from any source. So ranks sign before MPI_Init, out of which nobody comes
// before all have gone in, and look afterwards: on one machine all at a list in shared memory, on several
// each only for its neighbours in a tree (bulletin.hpp), which then tell each other what they have seen.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

enum class Attendance {
  All,
  Some,  // or nobody can tell; a line says which
};

// Before MPI_Init.
void sign_in() noexcept;

// After it, once: rank `rank` of `ranks`. The answer is the same for all who signed in.
Attendance attendance(int rank, int ranks) noexcept;

}  // namespace waitprof
