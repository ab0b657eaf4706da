// One figure of one night compared with previous nights: worse, better, the same, or inconclusive.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/results/check_result.hpp"

namespace waitdiag {

using Runs = std::vector<double>;  // the values of one figure in the runs of a night

struct Question {
  std::vector<Runs> nights;  // the reference: previous nights, oldest first, none empty
  std::vector<Runs> recent;  // up to two nights just before today, also in `nights` unless known as worse
  Runs today;
  double relative = 0.0275;      // a change by a smaller part of the reference does not count
  double absolute = 0;           // nor does less than this, in the unit of the figure
  std::size_t known_nights = 5;  // with fewer, it is not known whether nights differ
};

// Evidence without a verdict yet: several figures of a case are judged together.
struct Evidence {
  double before = 0, after = 0;                // medians
  double shift = 0, low = 0, high = 0, z = 0;  // Hodges-Lehmann with its 95 % interval; robust z of the night
  double limit = 0;                            // what a difference must exceed to matter
  double p = 1;                                // of that a shift in this direction is chance
  bool practical = false;                      // the shift exceeds the limit
  bool persistent = false;                     // seen in enough runs of a night, or in two of three nights
  bool one_night_can_tell = false;  // enough known nights that do not differ: enough runs are persistent
  std::size_t runs = 0, reference_runs = 0;  // compared, including nights that agree
  std::size_t reference_nights = 0;          // without those that agree with tonight
  double deviation = 0;                      // of one run, pooled; NaN: not known
};

// A night of at least this many runs may be persistent by itself.
constexpr std::size_t kRunsThatPersist = 3;

// p: Mann and Whitney's, exact and one-sided, of today's runs against those of all nights; where nights
// differ by more than their runs do, the larger of it and the p of night_test(). A difference is persistent
// if it is seen in one night of enough runs, where enough nights are known and do not differ; or, where they
// do differ, if the night test leaves no doubt (p up to 0.001). Otherwise one of the two previous nights has
// to agree, and their runs are tested together. `today` is not empty; without nights the evidence is empty (p
// 1, nothing practical).
Evidence evidence_of(const Question& question);

// The least number of additional runs tonight that could make a practical shift significant at `alpha`; 0:
// more runs tonight would not help (for instance because nights of reference are missing).
std::size_t runs_missing(const Evidence& evidence, double alpha);

// Verdicts. An alarm needs a shift that is practical, persistent, and has a p of at most `alpha` after the
// correction of Benjamini and Hochberg over all figures; practical without the others is inconclusive; the
// rest passes.
std::vector<CheckResult::Verdict> judged(const std::vector<Evidence>& figures,
                                         const std::vector<bool>& lower_is_better, double alpha);

}  // namespace waitdiag
