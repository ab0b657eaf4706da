// What to do: one repair for each leading cause, what it saves, how sure that is, and the command that shows it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iosfwd>

#include "analyzer/results/report.hpp"
#include "analyzer/writers/text/text.hpp"

namespace waitdiag {

// So many causes, the first ones, have their repair printed.
std::size_t causes_with_actions(const Report& report, const TextOptions& options);

void print_actions(const Report& report, const TextOptions& options, std::ostream& out);

// "saves about 1.08 s of 2.70 s (1.67x)"; empty if nobody knows.
std::string saving_of(const Report& report, const Report::Cause& cause);

}  // namespace waitdiag
