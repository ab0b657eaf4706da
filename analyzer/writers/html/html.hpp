// Results as small self-contained HTML pages.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iosfwd>

#include "analyzer/results/check_result.hpp"

namespace waitdiag {

void write_check_page(const CheckResult& result, std::ostream& out);  // every figure over the nights

}  // namespace waitdiag
