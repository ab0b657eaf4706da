// The report as tables for spreadsheets, pandas or a database: one file per table in a directory, RFC 4180
// quoting, lines end in LF. Times are seconds, shares 0..1; an undefined figure is an empty field.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "analyzer/report/report.hpp"

namespace waitdiag {

// Makes the directory where needed and replaces waits.csv, waits_by_rank.csv, causes.csv, causes_by_rank.csv,
// causes_by_step.csv, delay_costs.csv, critical_path.csv, hotspots.csv and efficiency.csv in it. Throws
// std::runtime_error, naming the file, when it cannot.
void write_csv(const Report& report, const std::filesystem::path& directory);

}  // namespace waitdiag
