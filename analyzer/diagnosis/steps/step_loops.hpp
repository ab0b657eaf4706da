// Time steps by the repeating communication pattern (the rules are at find_steps()).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/steps/steps.hpp"

namespace waitdiag {

// No steps when there is no such pattern.
Steps repeating_steps(const Trace& trace);

}  // namespace waitdiag
