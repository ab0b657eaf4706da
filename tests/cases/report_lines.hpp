// The lines that a case compares: everything that a report says, in whole nanoseconds
//(tests/cases/README.md).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/results/report.hpp"

namespace waitdiag::test {

std::vector<std::string> report_lines(const Report& report);
std::vector<std::string> detail_lines(const Report& report);  // of the section `detail`

// Lines as they are compared: runs of blanks become one, empty lines and comments are removed.
std::vector<std::string> comparable_lines(std::string_view text);

// The lines to add (+) and to remove (-) to get from `expected` to `actual`, and the common lines; "" if they
// are equal.
std::string difference(const std::vector<std::string>& expected, const std::vector<std::string>& actual);

}  // namespace waitdiag::test
