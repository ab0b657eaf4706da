// What to do: one repair for each leading cause, what it saves, how certain that is, and the command that
// shows it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iosfwd>

#include "analyzer/results/report.hpp"
#include "analyzer/writers/text/text.hpp"

namespace waitdiag {

// The number of causes, from the first on, whose repair is printed.
std::size_t causes_with_actions(const Report& report, const TextOptions& options);

void print_actions(const Report& report, const TextOptions& options, std::ostream& out);

// "saves about 1.08 s of 2.70 s (1.67x)"; empty if it is not known.
std::string saving_of(const Report& report, const Report::Cause& cause);

// How the savings of all causes were determined; empty unless a replay was tried.
std::string savings_note(const Report& report);

}  // namespace waitdiag
