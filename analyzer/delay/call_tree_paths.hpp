// Questions about the call tree.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/model/trace.hpp"

namespace waitdiag {

// The innermost function that called both MPI calls: what lies between them in time most likely belongs to
// it. With one of them missing (start and end of the trace) the caller of the other; kNoCallPath if there is
// none.
CallPathId innermost_common_caller(const Trace& trace, CallPathId opening, CallPathId closing);

}  // namespace waitdiag
