// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/dependencies.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/polling.hpp"
#include "analyzer/trace/wait_for_graph/collective.hpp"

namespace waitdiag {
namespace {

// The pattern of waits between calls of this class; nullptr: there is none.
const WaitPattern* pattern_of(CallKind kind) {
  for (const WaitPattern* candidate : wait_patterns()) {
    const bool waits = candidate->waiting && candidate->on_collective != nullptr;
    if (waits && (candidate->at == kind || candidate->at == rule_of(kind).like)) return candidate;
  }
  return nullptr;
}

// When a member was in MPI again for the last time up to some time; none: not since it started its part.
OpRef last_return(const Trace& trace, const Collective& collective, std::uint32_t member, Time until) {
  const OpRef begin = collective.begins(member), end = collective.ends(member);
  if (!begin.valid() || !end.valid()) return {};
  const auto enters = trace.timeline(end.location).enters().subspan(begin.op + 1, end.op - begin.op);
  const auto count = std::ranges::upper_bound(enters, until) - enters.begin();
  return count == 0 ? OpRef{} : OpRef{end.location, begin.op + static_cast<std::uint32_t>(count)};
}

// Who waited for a member to be in MPI again would have waited for those before it, too.
void add_last_members(const Trace& trace, const SyncPoints& sync, const WaitState& wait,
                      std::vector<WaitForEdge>& found) {
  constexpr std::size_t kMost = 16;  // that count
  const Collective collective(trace, sync, sync.collectives[wait.sync]);
  std::vector<OpRef> later;
  for (std::uint32_t m = 0; m < collective.size(); ++m) {
    if (collective.location(m) == wait.victim.location || collective.location(m) == wait.cause.location)
      continue;
    const OpRef call = last_return(trace, collective, m, trace.enter(wait.cause));
    if (call.valid() && trace.enter(call) > trace.enter(wait.victim)) later.push_back(call);
  }
  const std::size_t most = std::min(kMost, later.size());
  std::ranges::partial_sort(later, later.begin() + static_cast<std::ptrdiff_t>(most), std::greater<>(),
                            [&](OpRef call) { return trace.enter(call); });
  for (std::size_t i = 0; i < most; ++i) found.push_back({wait.victim, later[i]});
}

// The waits that neither messages nor collective operations represent: each has one known culprit.
std::vector<WaitForEdge> found_waits(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                                     std::span<const PatternId> without) {
  std::vector<WaitForEdge> found;
  for (const WaitState& wait : states.waits) {
    const WaitPattern& how = pattern(wait.pattern);
    if (is_in_graph(how) || std::ranges::find(without, wait.pattern) != without.end()) continue;
    found.push_back({wait.victim, wait.cause, how.waits_for == WaitsFor::Signal});
    if (how.waits_for == WaitsFor::Progress && how.on_collective != nullptr)
      add_last_members(trace, sync, wait, found);
  }
  return found;
}

// Polls before the one that completes a collective operation have no part in it, but wait for the same; so do the
// first parts of calls. Those that ended before are left out: they are as many as there are.
std::vector<OpRef> polls_for_collectives(const Trace& trace, const SyncPoints& sync,
                                         const WaitStates& states) {
  std::vector<OpRef> polls;
  const auto is_part = [&](const WaitState& wait) {
    return rule_of(trace.kind(wait.victim)).waits_for != WaitsFor::NoRank &&
           sync.collectives[wait.sync].in_parts;
  };
  for (const WaitState& wait : states.waits)
    if (pattern(wait.pattern).on_collective != nullptr &&
        (is_poll(trace.kind(wait.victim)) || is_part(wait)) &&
        trace.leave(wait.victim) >= trace.enter(wait.cause))
      polls.push_back(wait.victim);
  return polls;
}

WaitForGraph graph_of(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                      std::span<const PatternId> without) {
  const std::vector<WaitForEdge> found = found_waits(trace, sync, states, without);
  const std::vector<OpRef> polls = polls_for_collectives(trace, sync, states);
  WaitForOptions options{.needs_receiver = states.needs_receiver, .found = found, .polls = polls};
  for (const PatternId id : without) options.without.push_back(pattern(id).waits_for);
  for (const WaitRule& rule : kCollectiveRules) {
    const WaitPattern* const waits = without.empty() ? nullptr : pattern_of(rule.of);
    if (waits != nullptr && std::ranges::find(without, id_of(*waits)) != without.end())
      options.without_collectives.push_back(rule.of);
  }
  return {trace, sync, options};
}

}  // namespace

RankedBits needed_calls(const WaitForGraph& graph) {
  RankedBits calls(graph.calls());
  const auto add = [&](WaitForGraph::Node node) {
    if (graph.is_call(node)) calls.set(node);
  };
  std::ranges::for_each(graph.all_needs(), add);
  std::ranges::for_each(graph.all_members(), add);
  calls.close();
  return calls;
}

Dependencies::Dependencies(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                           std::span<const PatternId> without)
    : trace_(trace), graph_(graph_of(trace, sync, states, without)) {
  find_own_times(states);
}

void Dependencies::find_own_times(const WaitStates& states) {
  const auto own = std::make_shared<OwnTimes>(
      OwnTimes{.nanoseconds = std::make_shared_for_overwrite<std::uint32_t[]>(graph_.calls())});
  std::vector<std::vector<std::pair<Node, Duration>>> longer(trace_.timelines().size());
  for_each_index(trace_.timelines().size(), [&](std::size_t l) {
    const Timeline& timeline = trace_.timelines()[l];
    for (std::uint32_t op = 0; op < timeline.size(); ++op) {
      const OpRef call{Location(l), op};
      const Node node = graph_.node(call);
      const Duration time = timeline.leave(op) - release_of(call).time;
      const bool is_short = time >= Duration::zero() && time < Duration(OwnTimes::kLong);
      own->nanoseconds[node] = is_short ? static_cast<std::uint32_t>(time.count()) : OwnTimes::kLong;
      if (!is_short) longer[l].emplace_back(node, time);
    }
  });
  for (const auto& of_location : longer) own->longer.insert(of_location.begin(), of_location.end());
  own_ = own;
  for (const OpRef row : rows_cut_short(states)) own->nanoseconds[graph_.node(row)] = 0;
}

// Rows of polls that the recorder stored as one call, and that ended before what they waited for had come. Later polls
// wait for that, so the rows are as long as it takes: they have no time of their own. Not where others depend on when
// those later polls begin.
std::vector<OpRef> Dependencies::rows_cut_short(const WaitStates& states) const {
  std::vector<OpRef> rows;
  RankedBits needed;
  for (const WaitState& wait : states.waits) {
    if (!is_poll(trace_.kind(wait.victim)) || trace_.leave(wait.victim) >= trace_.enter(wait.cause)) continue;
    const Timeline& timeline = trace_.timeline(wait.victim.location);
    if (!timeline.is_row_of_polls(wait.victim.op)) continue;
    if (needed.size() == 0) needed = needed_calls(graph_);
    for (OpRef later = wait.victim; ++later.op < timeline.size() && is_poll(trace_.kind(later));) {
      if (needed[graph_.node(later)]) break;
      if (!release_of(later).by.valid()) continue;
      rows.push_back(wait.victim);
      break;
    }
  }
  return rows;
}

void Dependencies::own_as_in(const Dependencies& other) {
  const auto theirs = std::make_shared<OwnTimes>(*other.own_);
  for (auto& [node, time] : theirs->longer)
    if (time < Duration::zero()) time = std::max(time, std::min(own(node), Duration::zero()));
  own_ = theirs;
}

Dependencies::Release Dependencies::release_of(OpRef call) const {
  Release result{trace_.enter(call), {}};
  for (const Node on : graph_.of_call(graph_.node(call))) {
    const OpRef by = released_by(on);
    const Time time = trace_.enter(by);
    if (time > result.time) result = {time, by};
  }
  return result;
}

// Mostly its own time tells when it was released.
bool Dependencies::needs_after(OpRef call, Time instant) const {
  const Node node = graph_.node(call);
  const Time released = trace_.leave(call) - own(node);
  if (released <= instant) return false;
  if (released > trace_.enter(call)) return true;
  return std::ranges::any_of(graph_.of_call(node),
                             [&](Node on) { return trace_.enter(released_by(on)) > instant; });
}

}  // namespace waitdiag
