// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/work_ahead.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

// Work of less than 1/20 of the other one's lateness is little.
constexpr int kLittleWork = 20;
// All calls are followed once more for each.
constexpr std::size_t kMostWays = 4;
constexpr std::size_t kMostSends = 64;  // that are looked at

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
  count_turns();
}

void WorkAhead::count_turns() {
  turns_.resize(sync_.messages.size());
  partners_.resize(trace_.timelines().size());
  for_each_index(partners_.size(), [&](std::size_t l) {
    std::unordered_map<std::size_t, std::uint32_t> sent;
    for (const std::uint32_t i : sync_.sent_by(Location(l)))
      turns_[i] = sent[index(sync_.messages[i].receiver)]++;
    for (const auto& [to, messages] : sent) partners_[l].push_back({Location(to), messages});
    std::ranges::sort(partners_[l], {}, &Partner::to);
  });
}

std::uint32_t WorkAhead::sent(Location from, Location to) const {
  const auto& partners = partners_[index(from)];
  const auto found = std::ranges::lower_bound(partners, to, {}, &Partner::to);
  return found != partners.end() && found->to == to ? found->messages : 0;
}

std::optional<std::uint32_t> WorkAhead::send_of_turn(const Message& message,
                                                     std::span<const std::uint32_t> sent_before) const {
  if (sent(message.sender, message.receiver) != sent(message.receiver, message.sender)) return {};
  const std::uint32_t turn = turns_[static_cast<std::size_t>(&message - sync_.messages.data())];
  const std::uint32_t posted = receive_end(trace_, message).posted;
  bool later = false;
  const auto looked_at = sent_before.last(std::min(sent_before.size(), kMostSends));
  for (auto send = looked_at.rbegin(); send != looked_at.rend(); ++send) {
    const std::uint32_t i = *send;
    const Message& own = sync_.messages[i];
    const std::uint32_t call = send_end(trace_, own).posted;
    if (call < posted) break;
    if (own.receiver != message.sender) continue;
    if (turns_[i] == turn) return call;
    if (turns_[i] < turn) return {};
    later = true;
  }
  return later ? std::optional(posted) : std::nullopt;
}

std::uint32_t WorkAhead::begin_of_receive(const Message& message) const {
  const MessageEnd& received = receive_end(trace_, message);
  if (received.posted == received.completed) return received.posted;
  const auto sent = sync_.sent_by(message.receiver);
  const auto posted = [&](std::uint32_t i) { return send_end(trace_, sync_.messages[i]).posted; };
  const auto later = std::partition_point(sent.begin(), sent.end(),
                                          [&](std::uint32_t i) { return posted(i) < received.completed; });
  if (later == sent.begin()) return received.posted;
  const std::uint32_t last = posted(*(later - 1));
  return std::max(received.posted, send_of_turn(message, {sent.begin(), later}).value_or(last));
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
