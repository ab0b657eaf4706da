// Which part of a run a report is about, if the recording was paused or cut off, or the run was cut off.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/results/report.hpp"

namespace waitdiag {

// "152 ms of 1.32 s"; the run time alone where the recording was not paused.
std::string recorded_time(const Report::Run& run);

// "152 ms of 1.32 s, steps 20 to 25"; empty where the recording was not paused.
std::string recorded_part(const Report::Run& run);

// What is missing of the run unintentionally, as a clause: it did not reach its end, or the archive is
// damaged. Empty where nothing is.
std::string missing_part(const Report& report);

// The program's number of a time step that the report counts from 0.
std::uint64_t step_number(const Report::Run& run, std::uint64_t place);

// For the recorder's light profile: "recorded in full: 18 excerpts with 32 of 400 steps, 2.1 s of 60.3 s (3.5
// %)"
std::string excerpts_sentence(const Report& report);

}  // namespace waitdiag
