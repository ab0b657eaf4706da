// Tasks that one rank deals to whoever is free (master and worker). Which rank gets which task depends on how long
// tasks take, so the runs do not align; for the target the dealing is simulated.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "analyzer/scaling/quantity_laws/study.hpp"
#include "analyzer/trace/derived/shortened.hpp"

namespace waitdiag {

struct Dealt {
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;  // on average
};

// How the ranks talk, the same in all runs.
struct Dealing {
  int master = 0;             // of this run
  FixedPlace place{};         // of the master, in runs of any size
  std::uint32_t before = 0;   // calls that each rank makes before the first one of these
  bool workers_ask = false;   // for their first task; otherwise each gets one unasked
  bool last_answered = true;  // a worker's last result gets an answer: that there is no more
  bool told_in_turn = false;  // at the end the master tells one worker after the other that there is no more
  Dealt question{}, task{}, result{}, no_more{};
  bool like(const Dealing& other) const;  // whatever the sizes
};

// What the master does with a worker, and may compute before: deals a task unasked, hears of a result (or a question),
// answers that, says that there is no more.
enum class MasterDoes : std::uint8_t { Deals, Hears, Answers, Tells };

// One run.
struct DealtRun {
  Dealing how{};
  std::vector<CallRange> calls{};  // by location
  std::vector<double> tasks_ns{};  // computed for each task, in the order in which they were dealt
  bool of_target = false;          // these are the tasks of the target
  std::vector<double> lead_ns{};   // by rank: computed before all that
  std::vector<double> mean_ns{};   // by rank: of all tasks; kAbsent: the master's
  // By rank, kAbsent: a worker's; what the master computes before each of what it does, on average.
  std::map<MasterDoes, std::vector<double>> master_ns{};
  double service_ns = 0, way_ns = 0;  // of the master for one worker; of a message, at least
  // Call paths: of what is computed, and of the calls (master and workers); kNoCallPath: none.
  CallPathId computed = kNoCallPath, lead = kNoCallPath, master_computes = kNoCallPath;
  CallPathId master_receives = kNoCallPath, master_sends = kNoCallPath;
  CallPathId worker_receives = kNoCallPath, worker_sends = kNoCallPath;
};

// Nothing: it does not look like that.
std::optional<DealtRun> find_dealt_tasks(const Trace& trace);
// Of all runs, if they deal in the same way.
std::optional<std::vector<DealtRun>> find_dealt_tasks(const std::vector<const Trace*>& runs);

// What a rank of the target does there, in order.
struct DealtCall {
  bool sends = false;
  int peer = 0;
  Dealt message{};
  double computed_ns = 0;  // before it
  bool lead = false;       // what was computed is not a task
};

// By rank of the target. `runs`, in the order of the study; `count`: of tasks. Throws TraceError where there are fewer
// tasks than workers that get one unasked.
std::vector<std::vector<DealtCall>> deal(const Study& study, const std::vector<DealtRun>& runs, int count);

}  // namespace waitdiag
