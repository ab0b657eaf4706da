// Teams of threads that GCC's OpenMP run time forms, in unmodified programs: calls of libgomp pass through
// wrappers, and the work of each thread of a team through one more.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// From now on, for good, if the program has libgomp. Once per process.
void watch_teams_of_libgomp() noexcept;

}  // namespace waitprof
