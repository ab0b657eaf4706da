// Questions about the call tree.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// The innermost function that called both MPI calls: what lies between them in time most likely belongs to
// it. With one of them missing (start and end of the trace) the caller of the other; kNoCallPath if there is
// none.
CallPathId innermost_common_caller(const Trace& trace, CallPathId opening, CallPathId closing);

// Is `name` the call path ("main/solve"), its end ("step/solve") or its function ("solve")?
bool is_end_of_path(std::string_view name, std::string_view path);

// Which call paths `name` means, what they call included: by call path, and one more, false, for an unknown
// one (the slots of Activities). Names as in is_end_of_path(), in full or as reports shorten them.
std::vector<bool> call_paths_named(const Trace& trace, std::string_view name);

}  // namespace waitdiag
