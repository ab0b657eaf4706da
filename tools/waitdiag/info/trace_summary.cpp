// What is in a trace, counted.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/info/trace_summary.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace waitdiag::tool {
namespace {

enum Group : std::size_t {
  Sends,
  Receives,
  Sendrecvs,
  Persistent,
  Waits,
  Tests,
  Probes,
  Collectives,
  Comms,
  Ends,
  Others
};

constexpr std::array<std::string_view, kCallGroups> kNames{
    "sends",  "receives",    "sendrecvs",     "persistent",    "waits", "tests",
    "probes", "collectives", "communicators", "init/finalize", "others"};

constexpr std::array<std::pair<CallKind, Group>, 26> kGroupOf{{{CallKind::Send, Sends},
                                                               {CallKind::Isend, Sends},
                                                               {CallKind::Recv, Receives},
                                                               {CallKind::Irecv, Receives},
                                                               {CallKind::Sendrecv, Sendrecvs},
                                                               {CallKind::PersistentInit, Persistent},
                                                               {CallKind::Start, Persistent},
                                                               {CallKind::Wait, Waits},
                                                               {CallKind::Waitany, Waits},
                                                               {CallKind::Waitall, Waits},
                                                               {CallKind::Waitsome, Waits},
                                                               {CallKind::Test, Tests},
                                                               {CallKind::Testany, Tests},
                                                               {CallKind::Testall, Tests},
                                                               {CallKind::Testsome, Tests},
                                                               {CallKind::GetStatus, Tests},
                                                               {CallKind::Probe, Probes},
                                                               {CallKind::Iprobe, Probes},
                                                               {CallKind::Barrier, Collectives},
                                                               {CallKind::OneToAll, Collectives},
                                                               {CallKind::AllToOne, Collectives},
                                                               {CallKind::AllToAll, Collectives},
                                                               {CallKind::AllToAllVariable, Collectives},
                                                               {CallKind::Scan, Collectives},
                                                               {CallKind::Init, Ends},
                                                               {CallKind::Finalize, Ends}}};

Group group_of(CallKind kind) {
  if (kind == CallKind::CommConstruct) return Comms;
  const auto* found = std::find_if(kGroupOf.begin(), kGroupOf.end(),
                                   [kind](const auto& entry) { return entry.first == kind; });
  return found == kGroupOf.end() ? Others : found->second;
}

// A collective operation is counted once: at the first member of its communicator.
bool counts_here(const Trace& trace, const CollectivePart& part, Rank rank) {
  if (part.kind == CollectiveKind::Init || part.kind == CollectiveKind::Finalize || part.comm == kNoComm)
    return false;
  const Communicator& communicator = trace.communicator(part.comm);
  return communicator.self || (!communicator.members.empty() && communicator.members.front() == rank);
}

void add_timeline(const Trace& trace, Location location, TraceSummary& summary) {
  const Timeline& timeline = trace.timeline(location);
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    const Region& region = trace.region(timeline.call_path(op));
    if (!region.mpi()) continue;
    ++summary.mpi_calls;
    ++summary.groups[group_of(region.kind)].calls;
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
  for (std::size_t group = 0; group < kCallGroups; ++group) summary.groups[group].name = kNames[group];
  std::set<std::string_view> nodes;
  for (std::uint32_t location = 0; location < trace.locations().size(); ++location) {
    add_timeline(trace, Location(location), summary);
    nodes.insert(trace.locations()[location].node);
  }
  summary.nodes = nodes.size();
  return summary;
}

}  // namespace waitdiag::tool
