// Launchers of another MPI than the program's: each process they start is a job of one rank.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// If this job of one rank was started as one of several such jobs, one of the processes says so.
void warn_of_foreign_launcher(int ranks) noexcept;

}  // namespace waitprof
