// What a cause is called in sentences and tables: its function, with the callers that tell it from other places where the
// same function runs, or that do nothing but call it: of `solve() { spin(); }` both are named, as nobody can say which
// of them is to be changed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "analyzer/results/report.hpp"

namespace waitdiag {

std::string cause_name(const Report& report, const Report::Cause& cause);  // "solve/spin()"

// Can it be named with what it only calls? Not "(processor taken away)", several call paths as one, or what libraries
// make of a function object.
bool is_code(std::string_view caller);

// Threads of a team wait for its latest, or whichever comes first goes on with what is late: one cause.
bool is_of_team(const Report::Cause& cause);

}  // namespace waitdiag
