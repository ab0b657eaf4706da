// Teams of threads that GCC's OpenMP run time forms, in unmodified programs: calls of libgomp pass through
// wrappers, and the work of each thread of a team through one more.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace waitprof {

// If the program has libgomp: in all objects that are loaded by now, or in that library (a handle from dlopen) and those
// loaded after it; for good. Not by two threads at the same time.
void watch_teams_of_libgomp(void* first) noexcept;

}  // namespace waitprof
