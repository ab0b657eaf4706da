// What to do: one repair for each leading cause, what it saves, how certain that is, and the command that
// shows it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iosfwd>
#include <vector>

#include "analyzer/results/report.hpp"
#include "analyzer/writers/text/text.hpp"

namespace waitdiag {

// Of the first causes, those whose repair is printed: one that serves several of them (all functions are slow on one rank)
// stands for the first one.
std::vector<const Report::Cause*> causes_with_actions(const Report& report, const TextOptions& options);

void print_actions(const Report& report, const TextOptions& options, std::ostream& out);

// "saves about 1.08 s of 2.70 s (1.67x)"; empty if it is not known.
std::string saving_of(const Report& report, const Report::Cause& cause);

// How the savings of all causes were determined; empty unless a replay was tried.
std::string savings_note(const Report& report);

}  // namespace waitdiag
