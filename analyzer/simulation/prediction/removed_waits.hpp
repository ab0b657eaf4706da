// What a predicted run would take if nobody waited in some ways.
//
// A call that can wait in one of these ways goes on after its own time, whether or not the other side has
// come; its own time is what it took in the predicted run beyond the last call it depended on. What follows
// from that happens earlier, so calls may wait longer in the ways that remain. Data is then received
// before it is sent: such a run cannot exist. It says what repair of these waits can be worth at most.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/simulation/prediction/predict.hpp"

namespace waitdiag {

// `run` is `predicted` as a trace; `predicted` has its times, and gets others. What was removed is counted
// among its approximations.
void remove_waits(const Trace& run, const DetectOptions& waits, std::span<const PatternId> patterns,
                  Predicted& predicted);

}  // namespace waitdiag
