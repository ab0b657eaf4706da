// Delay costs: every wait is charged to the excess times that caused it: directly where the causing process
// computed too long, indirectly where it had waited itself and only passed a delay on (Boehme et al.;
// H-CWP-DM when only hotspots are candidates). What remains unexplained goes to a named remainder, so nothing
// is lost: explained + remainders = waiting time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "analyzer/diagnosis/activities/profile.hpp"
#include "analyzer/diagnosis/causes/activity_sums.hpp"
#include "analyzer/diagnosis/causes/wait_culprits.hpp"
#include "analyzer/diagnosis/intervals/sync_intervals.hpp"

namespace waitdiag {

// Waiting caused by one call path of one location, by pattern of the wait that was finally suffered.
struct DelayCost {
  CallPathId call_path = kNoCallPath;
  Location location{};
  // Nanoseconds. The excess of a collective is that over its first arrival; excess that several waits share
  // counts once.
  double excess = 0;
  std::vector<double> direct, indirect;  // by pattern
};

enum class Remainder : std::uint8_t {
  NotHotspot,    // excess of a call path below the threshold
  NoExcess,      // the causing process was nowhere slower, or not by enough
  NoCauseModel,  // waits of patterns for which the chosen rules look for no causes
  PassedOn,      // waits that arose from such waits
  Clamped,       // cut off by the chosen rules
  InsideMpi,     // MPI calls that took longer than usual, for a reason that was not recorded
};
constexpr std::size_t kRemainders = 6;

// All waits of one pattern, in nanoseconds: the part caused directly, the part that arose from earlier waits
// of the causing process, and the part that made the waiting process late for others.
struct WaitParts {
  double direct = 0, indirect = 0, propagating = 0;
};

struct DelayCosts {
  std::vector<DelayCost> costs;                  // by call path, then location
  std::vector<WaitCulprit> culprits;             // by wait; empty unless asked for
  std::vector<WaitParts> parts;                  // by pattern; empty unless asked for
  std::array<double, kRemainders> remainders{};  // nanoseconds
  // What of "not a hotspot" is each call path's, in nanoseconds; by slot of Activities.
  std::vector<double> not_hotspots;
};

struct AttributionRules {
  bool scalasca = false;    // scout's opening calls, clamps and patterns with causes
  bool wait_parts = false;  // direct, indirect and propagating waits as well
  bool culprits = false;    // the culprit of every single wait as well
  // A thread that waits for another one is late because of what that one did (work_of_threads.hpp).
  std::span<const ThreadNeed> thread_needs{};
  const UsualParts* usual = nullptr;  // nullptr: not known
};

// `candidates`: by slot of Activities; excess elsewhere is "not a hotspot".
DelayCosts attribute(const Trace& trace, const WaitStates& states, const std::vector<SyncInterval>& intervals,
                     const Activities& activities, const ActivitySums& sums,
                     const std::vector<bool>& candidates, AttributionRules rules);

}  // namespace waitdiag
