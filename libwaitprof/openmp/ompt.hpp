// Teams of threads of OpenMP run times that tell tools of them (OMPT, OpenMP 5.0): LLVM's, Intel's.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// From now on, for good, if the program has such a run time, or will have. Once per process.
void watch_teams_by_ompt() noexcept;

}  // namespace waitprof
