// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/work_ahead.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

// Work of less than 1/20 of the other one's lateness is little.
constexpr int kLittleWork = 20;
// All calls are followed once more for each.
constexpr std::size_t kMostWays = 4;

}  // namespace

WorkAhead::WorkAhead(const Trace& trace, const SyncPoints& sync) : trace_(trace), sync_(sync) {
  for (std::uint32_t i = 0; i < sync.collectives.size(); ++i) {
    const CollectiveInstance& instance = sync.collectives[i];
    if (!instance.nonblocking) continue;
    for (const CollectiveMember& member : sync.members_of(instance))
      parts_.push_back({i, member.location, operation_of(trace, instance, member)});
  }
  std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
    return std::tie(a.instance, a.location) < std::tie(b.instance, b.location);
  });
}

std::uint32_t WorkAhead::begin_of_receive(const Message& message) const {
  const MessageEnd& received = receive_end(trace_, message);
  if (received.posted == received.completed) return received.posted;
  const auto sent = sync_.sent_by(message.receiver);
  const auto posted = [&](std::uint32_t i) { return send_end(trace_, sync_.messages[i]).posted; };
  const auto later = std::partition_point(sent.begin(), sent.end(),
                                          [&](std::uint32_t i) { return posted(i) < received.completed; });
  return later == sent.begin() ? received.posted : std::max(received.posted, posted(*(later - 1)));
}

std::uint32_t WorkAhead::begin_of_part(std::uint32_t instance, OpRef call) const {
  const auto part = std::partition_point(parts_.begin(), parts_.end(), [&](const Part& candidate) {
    return std::tie(candidate.instance, candidate.location) < std::tie(instance, call.location);
  });
  const bool known = part != parts_.end() && part->instance == instance && part->location == call.location;
  return known ? part->begin : call.op;
}

CallPathId WorkAhead::way_ahead(std::uint32_t begin, OpRef call, Time event) const {
  const Timeline& timeline = trace_.timeline(call.location);
  if (begin >= call.op || event <= timeline.leave(begin)) return kNoCallPath;
  const Duration late = event - timeline.leave(begin);
  Duration computed{};
  for (std::uint32_t gap = call.op; gap > begin; --gap) {
    computed += timeline.gap_end(gap) - timeline.gap_begin(gap);
    if (kLittleWork * computed > late) return trace_.without_sites(timeline.call_path(begin));
  }
  return kNoCallPath;
}

CallPathId WorkAhead::way_ahead(const WaitState& wait) const {
  std::uint32_t begin = wait.victim.op;
  const WaitPattern& how = pattern(wait.pattern);
  if (how.waits_for == WaitsFor::Progress) {
    begin = wait.victim.op;  // the late one had started all of it as well
  } else if (how.on_collective != nullptr) {
    begin = begin_of_part(wait.sync, wait.victim);
  } else if (how.waits_for == WaitsFor::Message) {
    begin = begin_of_receive(sync_.messages[wait.sync]);
  } else if (how.waits_for == WaitsFor::Rendezvous) {
    begin = send_end(trace_, sync_.messages[wait.sync]).posted;
  }
  return way_ahead(begin, wait.victim, trace_.enter(wait.cause));
}

std::vector<CallPathId> WorkAhead::ways_ahead(const WaitStates& states) const {
  std::vector<CallPathId> ways(states.waits.size());
  for_each_block(ways.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ways[i] = way_ahead(states.waits[i]);
  });
  std::map<CallPathId, Duration> waited;
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (ways[i] != kNoCallPath) waited[ways[i]] += states.waits[i].wait;
  std::vector<std::pair<Duration, CallPathId>> most;
  for (const auto& [way, time] : waited) most.push_back({time, way});
  std::sort(most.rbegin(), most.rend());
  for (std::size_t i = kMostWays; i < most.size(); ++i) waited.erase(most[i].second);
  for (CallPathId& way : ways)
    if (way != kNoCallPath && !waited.contains(way)) way = kAnyWayAhead;
  return ways;
}

}  // namespace waitdiag
