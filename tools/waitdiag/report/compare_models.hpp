// Both delay models on one trace, side by side: what they cost and what they blame.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>

#include "analyzer/diagnosis_options.hpp"
#include "tools/waitdiag/input/open_trace.hpp"
#include "tools/waitdiag/output/text_output.hpp"

namespace waitdiag::tool {

// Diagnoses the trace with H-CWP-DM, then with CWP-DM, with the same other options, and prints a table: time,
// peak memory beyond the trace, explained waiting, the `top` causes of each.
void compare_models(const TraceSource& source, const DiagnosisOptions& options, const TextOutput& text,
                    std::ostream& out);

}  // namespace waitdiag::tool
