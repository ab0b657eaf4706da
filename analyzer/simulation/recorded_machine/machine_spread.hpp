// What runs leave open about the machine that was found in them: how far its costs may be from those found, and which of
// them go together.
//
// Costs are factors for latency and for time per byte, of each level and of each size of messages (doublings, the same for all
// levels). Before the runs are asked, a level may cost e times as much, and sizes next to each other differ as they do in
// measured networks. Runs tell some of these, or only sums: that a message of one size took so long, whether for its latency
// or for its bytes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "analyzer/simulation/machine/machine.hpp"
#include "analyzer/simulation/replay/sent_sizes.hpp"

namespace waitdiag {

class MachineSpread {
 public:
  // How far replays on a machine are from the recorded runs.
  using Residuals = std::function<std::vector<double>(const Machine&)>;
  using Steps = std::vector<double>;  // logarithms of factors, by parameter

  // `sent`: what the runs send; `variance`: of a residual, if what is left of them is noise; `knows_sizes`: what sizes cost,
  // relative to each other, is known otherwise.
  MachineSpread(Machine found, const SentSizes& sent, const Residuals& residuals, double variance,
                bool knows_sizes = false);

  std::size_t parameters() const { return covariance_.size(); }
  // Whether a run that sends `sizes` may depend on a parameter.
  bool matters(std::size_t parameter, const SentSizes& sizes) const;
  Machine moved(const Steps& by) const;
  Machine moved(std::size_t parameter, double by) const;
  // One standard deviation of what changes by `gradient` for each step of the parameters.
  Steps deviation(const Steps& gradient) const;

 private:
  Machine found_;
  std::vector<Steps> covariance_;
};

}  // namespace waitdiag
