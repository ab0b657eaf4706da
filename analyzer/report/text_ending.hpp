// How a run ended that did not come to MPI_Finalize: the first sentence of its report, and the calls that
// were open.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>
#include <string>

#include "analyzer/report/report.hpp"
#include "analyzer/report/text.hpp"

namespace waitdiag {

// "Aborted by rank 3 at 12.4 s in main/check/MPI_Abort (code 8); ranks 0-2 were waiting in
// main/solve/MPI_Allreduce."
std::string ending_sentence(const Report::Ending& ending);

// Nothing for a run that was finalised.
void print_ending(const Report& report, const TextOptions& options, std::ostream& out);
void print_open_calls(const Report& report, const TextOptions& options, std::ostream& out);

}  // namespace waitdiag
