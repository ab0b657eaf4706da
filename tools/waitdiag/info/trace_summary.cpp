// What is in a trace, counted.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/info/trace_summary.hpp"

#include <set>
#include <vector>

#include "analyzer/trace/model/call_class.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"

namespace waitdiag::tool {
namespace {

// A collective operation is counted once: at the first member of its communicator.
bool counts_here(const Trace& trace, const CollectivePart& part, Rank rank) {
  if (part.kind == CollectiveKind::Init || part.kind == CollectiveKind::Finalize || part.comm == kNoComm)
    return false;
  const Communicator& communicator = trace.communicator(part.comm);
  return communicator.self || (!communicator.members.empty() && communicator.members.front() == rank);
}

void add_timeline(const Trace& trace, Location location, const std::vector<std::size_t>& group_of_path,
                  TraceSummary& summary) {
  const Timeline& timeline = trace.timeline(location);
  const PartsOfCalls parts(trace, location);
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    const CallPathId path = timeline.call_path(op);
    if (!trace.region(path).mpi() || parts.goes_on(op)) continue;
    ++summary.mpi_calls;
    ++summary.groups[group_of_path[index(path)]].calls;
  }
  for (const MessageEnd& send : timeline.sends()) {
    ++summary.messages;
    summary.message_bytes += send.bytes;
  }
  for (const CollectivePart& part : timeline.collectives())
    summary.collectives += counts_here(trace, part, trace.rank(location)) ? 1 : 0;
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
    for (const ComputationSample& sample : timeline.samples(gap)) summary.samples += sample.weight;
}

}  // namespace

TraceSummary summarise(const Trace& trace) {
  TraceSummary summary;
  const CallClassColumn groups(&waitprof::schema::CallClassNames::counted);
  for (const std::string_view name : groups.words()) summary.groups.push_back({.name = name});
  std::vector<std::size_t> group_of_path;
  for (std::size_t path = 0; path < trace.call_paths().size(); ++path)
    group_of_path.push_back(groups.of(call_class(trace.region(CallPathId(path)))));
  std::set<std::string_view> nodes;
  for (std::uint32_t location = 0; location < trace.locations().size(); ++location) {
    add_timeline(trace, Location(location), group_of_path, summary);
    nodes.insert(trace.locations()[location].node);
  }
  summary.nodes = nodes.size();
  return summary;
}

}  // namespace waitdiag::tool
