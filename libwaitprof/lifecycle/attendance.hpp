// Whether all ranks of a job have this library. A rank that asked the others over MPI would wait for ever for
// one that does not answer (a part of the job whose MPI is linked statically, a preload for some ranks or
// nodes only), and its message could match a receive from any source. So ranks sign before MPI_Init, which no
// rank leaves before all have entered it, and check afterwards: on one machine every rank reads a list in
// shared memory; on several machines each checks only its neighbours in a tree (bulletin.hpp), and these then
// tell each other what they have found.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

enum class Attendance {
  All,
  Some,  // or it cannot be known; a message says which
};

// Called before MPI_Init.
void sign_in() noexcept;

// Called once after MPI_Init, by rank `rank` of `ranks`. The answer is the same on all ranks that signed in.
Attendance attendance(int rank, int ranks) noexcept;

}  // namespace waitprof
