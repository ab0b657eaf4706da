// The text notation of a trace (README.md has it all).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string_view>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Throws TraceError with line number and reason.
Trace parse_text(std::string_view text);
void write_text(const Trace& trace, std::ostream& out);  // parse_text(write_text(t)) equals t

}  // namespace waitdiag
