// Which part of the run every process is in, at any time: the parts of part_efficiency.hpp, numbered.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>

#include "analyzer/diagnosis/retiming/part_times.hpp"
#include "analyzer/diagnosis/steps/parts.hpp"

namespace waitdiag {

class PartsInTime {
 public:
  // `most_groups`: see Parts.
  PartsInTime(const Trace& trace, const Steps& steps, std::uint32_t most_groups);

  // Before, in and after the steps; groups of steps; user regions: those that exist.
  const DividedRun& run() const { return run_; }
  std::uint32_t number(const Part& part) const;  // the number of the whole run has no use

 private:
  void add_steps(const Trace& trace, const Parts& parts);
  void add_regions(const Trace& trace);

  DividedRun run_;
  std::uint32_t steps_per_group_ = 1;
  std::map<RegionId, std::uint32_t> regions_;  // -> number
};

}  // namespace waitdiag
