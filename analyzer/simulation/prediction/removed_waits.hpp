// A predicted run timed again: without waits of some patterns, or with calls that take less time by themselves.
//
// A call that can wait in one of these ways continues after its own time, whether or not the other side has
// come; its own time is what it took in the predicted run after the last call it depended on. What follows
// happens earlier, so calls may wait longer in the remaining ways. Data may then be received before it is
// sent: such a run cannot exist. It shows the most that a repair of these waits can gain.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/simulation/prediction/predict.hpp"

namespace waitdiag {

// `run` is `predicted` as a trace; `predicted` has its times, and gets new ones. What was removed is counted
// among its approximations.
void remove_waits(const Trace& run, const DetectOptions& waits, std::span<const PatternId> patterns,
                  Predicted& predicted);

// `repairs`: what they take from calls, which a replay of computation does not show.
void shorten_calls(const Trace& run, const DetectOptions& waits, std::span<const Repair> repairs,
                   Predicted& predicted);

}  // namespace waitdiag
