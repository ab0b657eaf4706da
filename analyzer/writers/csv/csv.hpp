// Results as tables for spreadsheets, pandas or a database: RFC 4180 quoting, lines end in LF. Times are
// seconds, shares 0..1; an undefined figure is an empty field.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <iosfwd>

#include "analyzer/results/check_result.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/results/scaling.hpp"

namespace waitdiag {

// One file per table: creates the directory if needed and replaces those tables in it that
// share/doc/exporting.md names. Throws std::runtime_error with the file's name when it cannot.
void write_csv(const Report& report, const std::filesystem::path& directory);

void write_scaling_csv(const ScalingReport& report, std::ostream& out);

// The medians of all nights of this kind: time, commit, case, runs, verdict and one column per figure.
void write_check_csv(const CheckResult& result, std::ostream& out);

}  // namespace waitdiag
