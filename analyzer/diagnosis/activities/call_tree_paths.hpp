// Questions about the call tree.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// The innermost function that called both MPI calls: the time between them most likely belongs to it. If one
// of them is missing (start and end of the trace), the caller of the other; kNoCallPath if there is none.
CallPathId innermost_common_caller(const Trace& trace, CallPathId opening, CallPathId closing);

// The function of the program that runs, or in which a thread is off the processor: none of a library that it called.
CallPathId code_of(const Trace& trace, CallPathId path);

// Whether a compiler made it of what a team of OpenMP threads executes: "flux._omp_fn.0", ".omp_outlined..3".
bool is_outlined(const Region& region);
// The nearest caller that is not in a library; kNoCallPath: there is none.
CallPathId caller_outside_libraries(const Trace& trace, CallPathId path);
// The program knows only the function around what compilers make of a team's work.
CallPathId as_written(const Trace& trace, CallPathId path);

// Is `name` the call path ("main/solve"), its end ("step/solve") or its function ("solve")?
bool is_end_of_path(std::string_view name, std::string_view path);

// Which call paths `name` means, including what they call: by call path, and one more, false, for an unknown
// path (the slots of Activities). Names as in is_end_of_path(), in full or as reports shorten them.
std::vector<bool> call_paths_named(const Trace& trace, std::string_view name);

}  // namespace waitdiag
