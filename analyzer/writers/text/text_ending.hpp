// How a run ended that did not come to MPI_Finalize: the first sentence of its report, and the calls that
// were open.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>

#include "analyzer/results/report.hpp"
#include "analyzer/writers/text/text.hpp"

namespace waitdiag {

// Nothing for a run that was finalised.
void print_ending(const Report& report, const TextOptions& options, std::ostream& out);
void print_open_calls(const Report& report, const TextOptions& options, std::ostream& out);

}  // namespace waitdiag
