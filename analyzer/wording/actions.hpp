// What to do about a cause, in plain words.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/results/report.hpp"

namespace waitdiag {

// Of the run without the cause, which has a gain; where its function is late everywhere, without all of that.
double repaired_runtime(const Report::Cause& cause);
// What that saves; less than a hundredth of the run time is next to nothing.
double saved_s(const Report& report, const Report::Cause& cause);
bool saves_next_to_nothing(const Report& report, const Report::Cause& cause);

// What begins or ends MPI takes as long as it does: nobody can shorten it on a few ranks. What caused hardly any of the
// processor time to be waiting, and saves nothing, is nothing to repair.
bool can_be_repaired(const Report& report, const Report::Cause& cause);

Action action_for(const Report& report, const Report::Cause& cause);

// Its command for this archive.
std::string command_for(const Action& action, const std::string& archive);

// The command with these words where it says LAUNCH LINE.
std::string with_launch_line(std::string command, const std::vector<std::string>& launch_line);

// Whether the action only finds out more: what it finds has to be repaired before anything is saved.
bool finds_out_more(const Action& action);

}  // namespace waitdiag
