// Calls in parts: MPI ran reduction operators of the program in between, which are computation. A blocking
// operation is begun in the first part and completed in the last one; a call that completes a nonblocking one
// does so in its last part. Either waits in all of them.
//
//   as it was  [============= MPI_Allreduce =============]
//   recorded   [= MPI_Allreduce =] combine() [= MPI_Allreduce =]
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/model/trace.hpp"
#include "analyzer/trace/sync/rules.hpp"

namespace waitdiag {

// Blocking, and in parts.
inline bool is_in_parts(const Trace& trace, Location location, const CollectivePart& part) {
  const Timeline& timeline = trace.timeline(location);
  return part.nonblocking() && rule_of(trace.kind({location, part.op})).waits_for != WaitsFor::NoRank &&
         trace.without_sites(timeline.call_path(part.op)) ==
             trace.without_sites(timeline.call_path(part.completed));
}

// Which entries of a timeline are further parts of the call before them: no calls of the program's own.
class PartsOfCalls {
 public:
  PartsOfCalls() = default;
  PartsOfCalls(const Trace& trace, Location location);
  bool none() const { return goes_on_.empty(); }
  bool goes_on(std::uint32_t op) const { return op < goes_on_.size() && goes_on_[op]; }
  bool ends(std::uint32_t op) const { return !goes_on(op + 1); }  // a call, of whatever parts
  std::uint32_t first(std::uint32_t op) const {
    while (goes_on(op)) --op;
    return op;
  }

 private:
  void mark(const Timeline& timeline, std::uint32_t op);

  std::vector<bool> goes_on_{};  // by operation; empty if there are no parts
};

// The part that stands for the call where it has to be one: what MPI ran before it delayed others, what it ran
// behind it did not. The root of MPI_Reduce keeps all results, the others pass on theirs; where all get the result,
// the last one is kept for the most part.
inline std::uint32_t standing_part(const Trace& trace, Location location, const CollectivePart& part) {
  if (part.kind != CollectiveKind::Reduce) return part.completed - 1;
  return part.root == trace.rank(location) ? part.op : part.completed;
}

// Blocking ones.
bool has_calls_in_parts(const Trace& trace);

// The same run, in which such calls are one, with the operators before and behind: for whoever counts or replays
// calls. The trace itself, if it has none.
Trace with_whole_calls(Trace trace);

}  // namespace waitdiag
