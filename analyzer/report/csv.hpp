// The report as tables for spreadsheets, pandas or a database: one file per table in a directory, RFC 4180
// quoting, lines end in LF. Times are seconds, shares 0..1; an undefined figure is an empty field.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "analyzer/report/report.hpp"

namespace waitdiag {

// Makes the directory where needed and replaces the tables in it that share/doc/exporting.md names. Throws
// std::runtime_error, naming the file, when it cannot.
void write_csv(const Report& report, const std::filesystem::path& directory);

}  // namespace waitdiag
