// How far the times of different nodes can be trusted.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// What the recorder knows of the clocks: the most by which any rank's times may differ from rank 0's.
Duration clock_error(const Trace& trace);

// By how much the difference between a time of one and a time of the other may be wrong: both may be off by
// the clocks' error. Zero on one node, which has one clock.
Duration uncertainty_between(const Trace& trace, Location one, Location other, Duration clock_error);

}  // namespace waitdiag
