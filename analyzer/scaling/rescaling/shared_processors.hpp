// Runs whose ranks took turns on processors.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// On the node, or the core that ranks are bound to, with the most ranks for each of its processors; 0: not known. With more
// than 1 the run took up to that many times as long as with one rank on each.
double ranks_per_processor(const Trace& trace);

}  // namespace waitdiag
