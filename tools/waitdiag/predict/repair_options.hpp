// `waitdiag predict --repair`: causes of a recorded run by name.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/results/prediction.hpp"
#include "analyzer/simulation/prediction/scenario.hpp"
#include "analyzer/summary/timed_repairs.hpp"
#include "tools/waitdiag/command_line/progress.hpp"

namespace waitdiag::tool {

// What can be repaired in a run; nothing where that is not wanted, because it takes a diagnosis.
class Repairs {
 public:
  Repairs(const Trace& trace, bool wanted, Progress& progress);

  // Each cause once. Throw TraceError for a name that no cause has.
  std::vector<Repair> named(const std::vector<std::string>& names) const;
  std::vector<PredictionReport::Repairs::Cause> rows(const std::vector<std::string>& names) const;

 private:
  std::vector<TimedRepair> meant(const std::vector<std::string>& names) const;

  std::vector<TimedRepair> all_{};
};

}  // namespace waitdiag::tool
