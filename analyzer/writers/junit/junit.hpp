// A check as JUnit XML for CI servers.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>

#include "analyzer/results/check_result.hpp"

namespace waitdiag {

// One test case per figure, one for the structure. Everything important is in names and bodies, because
// GitLab shows nothing else; INCONCLUSIVE is a skipped test, a program that failed is an error.
void write_check_junit(const CheckResult& result, std::ostream& out);

}  // namespace waitdiag
