// How far the results can be trusted: everything odd that any stage saw, the gravest first.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "analyzer/diagnosis/causes/profile.hpp"
#include "analyzer/diagnosis/patterns/wait_states.hpp"
#include "analyzer/diagnosis/resources/resource_use.hpp"
#include "analyzer/results/report.hpp"
#include "analyzer/trace/model/clock_error.hpp"

namespace waitdiag {

std::vector<Report::Quality> data_quality(const Trace& trace, const Anomalies& matching,
                                          const WaitStates& states, const Profile& profile,
                                          const ResourceUse& use,
                                          std::span<const Report::WorkerThreads> workers);

// A wait may be longer or shorter by so much: it is the difference of two ranks' times, each of which may be
// off by the clocks' error. None on one node, which has one clock.
Duration uncertainty(const Trace& trace, const WaitState& wait, Duration clock_error);

}  // namespace waitdiag
