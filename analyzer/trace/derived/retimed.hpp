// The same run with other times: clocks that were corrected.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// One location: its begin, and its calls in order, never overlapping.
struct NewTimes {
  Time begin{};
  std::vector<Time> enter{}, leave{};
  // Not given: what follows the last call keeps its length.
  std::optional<Time> end{};
  // Pieces of computation, in order. Empty: they grow and shrink with their gap.
  std::vector<Duration> pieces{};
};

// `times` by location. What a call starts with (sends, collectives, one-sided operations) keeps its distance
// from the call's enter; what it ends with (receives, the end of a collective) keeps its distance from the
// leave. Neither moves beyond the call's other end. Steps and readings that lie in a gap move with it.
// Locations without calls keep their times unless an end is given. `note` describes what was done.
Trace retimed(Trace trace, std::vector<NewTimes> times, const Anomaly& note);

// The same run elsewhere: `node_of_rank` are the names of the ranks' nodes, about which nothing else is
// known; empty: they stay where they were.
Trace moved(Trace trace, const std::vector<std::string>& node_of_rank);

// The same trace, with another property of its archive.
Trace with_property(Trace trace, const std::string& name, const std::string& value);

// The same trace; `found`: by communicator.
Trace with_first_uses(Trace trace, std::vector<std::vector<FirstUse>> found);

// The same trace, with a note.
Trace annotated(Trace trace, const Anomaly& note);

}  // namespace waitdiag
