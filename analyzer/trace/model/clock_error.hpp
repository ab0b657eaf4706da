// How far the times of different nodes can be trusted.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// What the recorder knows of the clocks: no rank's times are further from rank 0's.
Duration clock_error(const Trace& trace);

// The difference of a time of each may be longer or shorter by so much: both may be off by the clocks' error.
// None on one node, which has one clock.
Duration uncertainty_between(const Trace& trace, Location one, Location other, Duration clock_error);

}  // namespace waitdiag
