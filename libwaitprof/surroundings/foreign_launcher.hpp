// Launchers of another MPI than the program's: each process they start is a job of one rank.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// One of the processes says so, if this job of one rank was started as one of several.
void warn_of_foreign_launcher(int ranks) noexcept;

}  // namespace waitprof
