// What to do about a cause, in plain words.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/results/report.hpp"

namespace waitdiag {

Action action_for(const Report& report, const Report::Cause& cause);

// Its command for this archive.
std::string command_for(const Action& action, const std::string& archive);

}  // namespace waitdiag
