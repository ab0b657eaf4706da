// A trace that cannot have happened: messages that arrive before they are sent, collectives on which ranks
// disagree, requests that never complete. No analysis of it can be right, but none may crash.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag::test {

Trace contradictory_trace(std::uint64_t seed);

}  // namespace waitdiag::test
