// Are two traces the same? Compared column by column; regions, call paths and communicators by their content,
// because their numbers depend on the order of definition.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag::test {

// The message names the first difference.
::testing::AssertionResult same_trace(const Trace& a, const Trace& b);
// Compares only communicators and timelines, without the visits of functions.
::testing::AssertionResult same_run(const Trace& a, const Trace& b);

}  // namespace waitdiag::test
