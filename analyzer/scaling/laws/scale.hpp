// Models of several runs of one program: how the time of each call path grows with the number of ranks, and
// from how many ranks on which one takes most of the time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/results/scaling.hpp"
#include "analyzer/scaling/laws/normal_form.hpp"
#include "analyzer/scaling/laws/profiles.hpp"

namespace waitdiag {

struct ScaleOptions {
  std::uint64_t up_to = 0;  // ranks; 0: 32 times as many as the largest run has
};

// Runs in any order; several of one size count as their mean. Throws TraceError for fewer than two sizes, for
// different programs, and for `up_to` below the largest run.
ScalingReport scale_runs(std::span<const RunProfile> runs, const ScaleOptions& options);

}  // namespace waitdiag
