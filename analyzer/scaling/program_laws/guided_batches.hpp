// Tasks dealt in ever smaller batches (guided self-scheduling): each is a part of what is left, shared by the workers,
// until a smallest one. How many there are, and how long each takes, follows for any number of workers.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "analyzer/scaling/program_laws/dealt_tasks.hpp"

namespace waitdiag {

struct GuidedBatches {
  double share = 0;     // a batch is what is left / (share * workers)
  double least_ns = 0;  // but not less
};

// Nothing: the batches of some run do not follow such a rule.
std::optional<GuidedBatches> guided_batches(const std::vector<DealtRun>& runs);

std::vector<double> batches_of(double all_ns, int workers, const GuidedBatches& guided);

// What each batch of the target takes; all of them together follow a law of times. Nothing: there is no rule.
std::optional<std::vector<double>> guided_in_target(const Study& study, const std::vector<DealtRun>& runs);

}  // namespace waitdiag
