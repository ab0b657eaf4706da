// A scenario to predict: another machine, other places for the ranks, other computation.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/diagnosis/patterns/registry.hpp"
#include "analyzer/diagnosis/retiming/retime.hpp"
#include "analyzer/simulation/machine/machine.hpp"
#include "analyzer/simulation/replay/program.hpp"

namespace waitdiag {

// Factors for the computation of one recorded run; unit_scaling.hpp makes them.
struct ComputationFactors {
  std::vector<double> of_rank{};  // empty: 1
  std::vector<double> of_slot{};  // by call path, as the slots of Activities; empty: 1
  double utilisation = 1;         // share of a core that its ranks had while computing; 1 if not known
  Approximations notes{};
};

// Of time off the processor.
struct Absence {
  OffReason reason{};
  std::optional<WaitedFor> what{};  // Blocked: in calls that wait for this; empty: in anything
};

// A cause repaired, as re-timing does it.
struct Repair {
  std::vector<CallPathId> call_paths{};  // of the cause
  std::shared_ptr<const Change> change{};
};

struct Scenario {
  struct Speedup {
    std::string call_path{};
    double factor = 1;  // how many times faster
  };
  Machine machine{};
  std::vector<std::uint64_t> cores{};  // of each rank; empty: by the machine's mapping
  bool recorded_places = false;        // these are where the ranks were
  double compute_scale = 1;            // in addition to the machine's
  std::vector<std::string> balance{};  // call paths: every rank gets the mean
  std::vector<Speedup> speedups{};
  std::vector<Repair> repairs{};   // of the recorded run
  std::vector<Absence> without{};  // threads are never off the processor for these reasons
  ComputationFactors factors{};
  std::vector<PatternId> removed_waits{};  // nobody waits in these ways (removed_waits.hpp)
};

struct ScenarioTimes {
  GapTimes gaps{};                              // by location and gap
  std::vector<std::vector<Duration>> pieces{};  // of computation, by location; empty: as recorded
};

// How long the computation takes under the scenario. A call path is named in full ("main/solve"), by its end
// ("step/solve") or by its function ("solve"); what it calls belongs to it. Time of the measurement itself is
// left out; time off the processor does not depend on how fast it is. Repairs shorten computation by the share of it
// that they save in the recorded run; what they save in calls is for the replay. Throws TraceError for a call path in
// which nothing was computed.
ScenarioTimes scenario_times(const Trace& trace, const Scenario& scenario, Approximations& approximations);

}  // namespace waitdiag
