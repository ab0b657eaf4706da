// Are two traces the same? Compared column by column; regions, call paths and communicators by what they say,
// because their numbers depend on the order of definition.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag::test {

// Says the first difference.
::testing::AssertionResult same_trace(const Trace& a, const Trace& b);
// Only communicators and timelines, and not how often functions were entered.
::testing::AssertionResult same_run(const Trace& a, const Trace& b);

}  // namespace waitdiag::test
