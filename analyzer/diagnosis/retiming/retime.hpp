// The run re-timed, with parts of it shortened: every call is entered when what lies before it is done, and
// left when everything it depends on has come, plus its own time (dependencies.hpp). With nothing changed all
// times are the measured ones.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "analyzer/diagnosis/retiming/dependencies.hpp"
#include "analyzer/trace/model/ranked_bits.hpp"

namespace waitdiag {

// One stretch that gets shorter: the gap before a call (op == size(): after the last one), or the call's own
// time.
struct Saving {
  std::uint32_t op = 0;
  bool in_call = false;
  Duration time{};  // at most the existing time
};

struct Change {
  std::vector<std::vector<Saving>> savings;  // by location, by op, the gap before the call; may be empty
  // Where tasks go to whoever is free, everybody gets done sooner (repaired_tasks.hpp): what the run is timed with instead.
  std::vector<std::vector<Saving>> shared{};
  Duration error{};           // of the run time, three standard errors, as far as tasks are chance
  bool in_any_order = false;  // timed with the order in which messages come then (served_run.hpp)
  bool all_of_it = false;     // what a cause took, for nobody says what it may take
  bool in_turn = false;       // as if its ranks ran a cause at the same time (turns.hpp)
  bool no_transfer = false;   // calls take no time of their own: an ideal network
  // Calls that move data take this share of their own time: a faster network, where all of it is the network's.
  double transfer = 1;
};

// What gets shorter for the run to be timed.
inline const std::vector<std::vector<Saving>>& timed(const Change& change) {
  return change.shared.empty() ? change.savings : change.shared;
}

// What is left of the stretch before a call, and of the call's own time, without what is saved. An own time may be less
// than nothing: the call was left before what it waited for.
inline Duration shorter_gap(const Timeline& timeline, std::uint32_t op, Duration saved) {
  return std::max(Duration::zero(), timeline.gap_end(op) - timeline.gap_begin(op) - saved);
}
inline Duration shorter_own(Duration own, Duration saved) {
  return std::max(std::min(own, Duration::zero()), own - saved);
}

// Whether nothing but computation between calls gets shorter.
bool of_computation_only(const Change& change);

struct Retimed {
  std::vector<Time> enter;  // by node of a call
  std::vector<Time> end;    // by location
  Time last_end{};
};

Retimed retime(const Trace& trace, const Dependencies& dependencies, const Change& change);

// Computes only when the run ends, with each of the changes separately.
std::vector<Time> retimed_ends(const Trace& trace, const Dependencies& dependencies,
                               std::span<const Change> changes);

}  // namespace waitdiag
