// Whether all ranks of a job have this library. MPI cannot tell: who asks the others over it waits for ever
// for one that does not answer (a part of the job whose MPI is linked statically, a preload for some
// ranks only). So ranks of one machine under MPICH's launcher sign a list before MPI_Init, out of which
// nobody comes before all have gone in, and read it afterwards.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

enum class Attendance {
  All,
  Some,     // the first of those has said so
  Unknown,  // several machines, or another launcher
};

// Before MPI_Init.
void sign_in() noexcept;

// After it, once. The answer is the same for all who signed in.
Attendance attendance() noexcept;

}  // namespace waitprof
