// What is in a trace, as text.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/trace/model/trace.hpp"
#include "analyzer/writers/text/layout.hpp"

namespace waitdiag::tool {

// On stdout; `archive` is how the user named it.
void print_info(const Trace& trace, const std::string& archive, const TextStyle& style);

}  // namespace waitdiag::tool
