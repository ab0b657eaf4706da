// The critical path: the chain of computation and transfer that makes up the run time. It is found backwards
// from the end of the run; where a call waited, the path continues on the process it waited for. Only what
// lies on it determines how long the run takes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "analyzer/diagnosis/activities/stalled_calls.hpp"
#include "analyzer/diagnosis/retiming/dependencies.hpp"

namespace waitdiag {

struct CriticalPath {
  struct Stretch {  // on one location; in time order, the end of one is the begin of the next
    Location location{};
    Time begin{}, end{};
  };
  std::vector<Stretch> stretches;
  std::vector<double> by_slot;      // nanoseconds, by slot of Activities; without the measurement's own time
  std::vector<double> by_location;  // nanoseconds
  Duration total{};                 // of all stretches
};

CriticalPath critical_path(const Trace& trace, const Dependencies& dependencies, const Activities& activities,
                           const StalledCalls& stalled = {});

}  // namespace waitdiag
