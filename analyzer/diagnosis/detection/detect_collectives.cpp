// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/detect_waits.hpp"

#include <algorithm>
#include <map>

#include "analyzer/diagnosis/detection/message_view.hpp"
#include "analyzer/diagnosis/detection/usual_ends.hpp"
#include "analyzer/diagnosis/detection/waited_until.hpp"
#include "analyzer/diagnosis/patterns/left_upon.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/collective_class.hpp"
#include "analyzer/trace/sync/parts_of_call.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

// By location; empty if there are no tests.
using RowsOfTests = std::vector<TestRows>;
// By location.
using PartsByLocation = std::vector<PartsOfCalls>;

std::uint32_t first_test(const RowsOfTests& rows, OpRef last) {
  return rows.empty() ? last.op : rows[index(last.location)].first(last.op);
}

// From when on a member waited for a nonblocking operation: a single test does not wait.
Time waited_from(const Trace& trace, const RowsOfTests& rows, const CollectivePart& part, Location location) {
  const OpRef last{location, part.completed};
  if (is_test(trace.kind(last)) && !rows[index(location)].waits(last.op)) return part.end;
  return trace.enter({location, first_test(rows, last)});
}

// Of a loop of tests the last ones are enough.
std::span<const Time> returns_to_mpi(const Timeline& timeline, const CollectivePart& part) {
  constexpr std::uint32_t kMost = 64;
  const std::uint32_t count = std::min(kMost, part.completed - part.op);
  return timeline.enters().subspan(part.completed + 1 - count, count);
}

Participant participant_of(const Trace& trace, const RowsOfTests& rows, const PartsByLocation& parts,
                           const CollectiveInstance& instance, const CollectiveMember& member) {
  const Timeline& timeline = trace.timeline(member.location);
  if (by_call(instance.kind)) {
    const Time enter = timeline.enter(member.part);
    return {.begin = enter, .waits_from = enter, .end = timeline.leave(member.part)};
  }
  const CollectivePart& part = timeline.collectives()[member.part];
  const bool any = moves_no_data(class_of(instance.kind));
  Participant participant{.begin = part.begin,
                          .waits_from = part.begin,
                          .end = part.end,
                          .sends = any || part.sent > 0,
                          .receives = any || part.received > 0};
  if (part.nonblocking()) {
    const bool blocking = is_in_parts(trace, member.location, part);
    if (!blocking) participant.waits_from = waited_from(trace, rows, part, member.location);
    if (const std::uint32_t first = parts[index(member.location)].first(part.completed);
        first != part.completed) {
      participant.timeline = &timeline;
      participant.first_part = first;
      participant.parts = part.completed + 1 - first;
      if (!blocking) participant.waits_from = timeline.enter(first);
    }
    participant.returns = returns_to_mpi(timeline, part);
  }
  return participant;
}

// Most operations end after all members have come: then none can have left too early.
bool somebody_left_before_all_came(const CollectiveView& view) {
  Time last_begin = Time::min(), first_end = Time::max();
  for (const Participant& participant : view.participants) {
    last_begin = std::max(last_begin, participant.begin);
    first_end = std::min(first_end, participant.end);
  }
  return first_end < last_begin;
}

// The rule that says whom each process needs before it can leave; nullptr where MPI does not guarantee any
// wait.
const WaitPattern* rule_of_needs(CallKind kind) {
  switch (kind) {
    case CallKind::Barrier:
      return &wait_at_barrier;
    case CallKind::AllToAll:
    case CallKind::AllToAllVariable:
      return &wait_at_nxn;
    case CallKind::OneToAll:
      return &late_broadcast;
    case CallKind::AllToOne:
      return &late_reduce;
    case CallKind::Neighbourhood:
      return &late_neighbour;
    default:
      return nullptr;
  }
}

class CollectiveDetection {
 public:
  CollectiveDetection(const Trace& trace, const SyncPoints& sync, const RowsOfTests& rows,
                      const PartsByLocation& parts, const UsualEnds& usual_ends, DetectedWaits& found,
                      bool scalasca)
      : trace_(trace),
        sync_(sync),
        rows_(rows),
        parts_(parts),
        usual_ends_(usual_ends),
        waits_(found.waits),
        listed_(found.listed),
        clocks_(found.clocks),
        scalasca_(scalasca) {}

  void look_at(std::uint32_t instance_index, std::span<const PatternId> patterns) {
    const CollectiveInstance& instance = sync_.collectives[instance_index];
    const CallKind kind = class_of(instance.kind);
    if (is_rooted(kind) && instance.root == kNoMember) {
      ++without_root_;
      return;
    }
    const CollectiveView view = view_of(instance, kind);
    if (is_by_peers(kind) && (!view.by_sources || scalasca_)) {
      ++not_analysed_;
      return;
    }
    check_clocks(view, kind, instance);
    for (const PatternId id : patterns) {
      if (looks_at(pattern(id), kind, instance)) apply(id, view, instance_index);
    }
  }

  void report(Anomalies& anomalies) const {
    if (clock_violations_ > 0) {
      anomalies.add("clock_violations_collective", Gravity::Warning,
                    "collectives were left before all that were needed had come: the clocks disagree",
                    clock_violations_);
    }
    if (not_analysed_ > 0) {
      anomalies.add("alltoallv_not_analysed", Gravity::Info,
                    "Alltoallv, Alltoallw and neighbourhood calls are not searched for waits: their partners "
                    "are not recorded",
                    not_analysed_);
    }
    if (without_root_ > 0) {
      anomalies.add(
          "collectives_without_root", Gravity::Info,
          "broadcasts, reductions and the like are not searched for waits: their root is not recorded",
          without_root_);
    }
  }

 private:
  CollectiveView view_of(const CollectiveInstance& instance, CallKind kind) {
    participants_.clear();
    bool by_sources = is_by_peers(kind);
    for (const CollectiveMember& member : sync_.members_of(instance)) {
      Participant& participant =
          participants_.emplace_back(participant_of(trace_, rows_, parts_, instance, member));
      if (!by_sources) continue;
      const auto position = static_cast<std::uint32_t>(participants_.size() - 1);
      const auto sources = sources_of(trace_, instance, position, member);
      by_sources = sources.has_value();
      participant.sources = sources.value_or(Sources{});
    }
    const UsualEnds::Ends ends = instance.in_one_piece() ? UsualEnds::Ends{} : usual_ends_.of(instance);
    return {.participants = participants_,
            .root = instance.root == kNoMember ? 0 : instance.root,
            .by_sources = by_sources,
            .usual_end = ends.usual,
            .needs_all = ends.needs_all};
  }

  void check_clocks(const CollectiveView& view, CallKind kind, const CollectiveInstance& instance) {
    const WaitPattern* const needs = rule_of_needs(kind);
    if (needs == nullptr || !somebody_left_before_all_came(view)) return;
    in_instance_.clear();
    needs->on_collective(view, in_instance_);
    const auto members = sync_.members_of(instance);
    bool any = false;
    for (const CollectiveWait& need : in_instance_) {
      const Duration early = view.participants[need.cause].begin - view.participants[need.victim].end;
      if (early <= Duration::zero()) continue;
      any = true;
      clocks_.add(trace_.rank(members[need.cause].location), trace_.rank(members[need.victim].location),
                  early);
    }
    if (any) ++clock_violations_;
  }

  // Completion times cannot be seen where an operation proceeds in the background.
  static bool looks_at(const WaitPattern& pattern, CallKind kind, const CollectiveInstance& instance) {
    if (&pattern == &collective_progress) return !instance.in_one_piece();
    if (!instance.in_one_piece() && !pattern.waiting) return false;
    return pattern.at == kind || (kind == CallKind::AllToAllVariable && pattern.at == CallKind::AllToAll);
  }

  void apply(PatternId id, const CollectiveView& view, std::uint32_t instance_index) {
    in_instance_.clear();
    pattern(id).on_collective(view, in_instance_);
    const CollectiveInstance& instance = sync_.collectives[instance_index];
    const auto members = sync_.members_of(instance);
    if (&pattern(id) == &collective_progress) return add_all_progress(view, instance_index);
    for (const CollectiveWait& wait : in_instance_) {
      if (wait.wait <= Duration::zero()) continue;
      const CollectiveMember &waiting = members[wait.victim], &late = members[wait.cause];
      const OpRef victim{waiting.location, completion_of(trace_, instance, waiting)};
      if (pattern(id).waiting) {
        const OpRef cause{late.location, operation_of(trace_, instance, late)};
        add(victim, {{}, cause, wait.wait, instance_index, id}, view.participants[wait.victim]);
        if (&pattern(id) == &wait_at_fence) note_accesses(instance, victim, view.participants[wait.victim]);
      } else {
        listed_.add(id, victim, wait.wait);
      }
    }
  }

  // When another member was in MPI again.
  OpRef back_in_mpi(const CollectiveWait& wait, const CollectiveView& view,
                    std::uint32_t instance_index) const {
    const CollectiveInstance& instance = sync_.collectives[instance_index];
    const CollectiveMember& late = sync_.members_of(instance)[wait.cause];
    if (wait.of_return == CollectiveWait::kBegin)
      return {late.location, operation_of(trace_, instance, late)};
    const auto returns = static_cast<std::uint32_t>(view.participants[wait.cause].returns.size());
    return {late.location, completion_of(trace_, instance, late) - (returns - 1 - wait.of_return)};
  }

  struct Progress {
    CollectiveWait wait;
    OpRef victim, back;
    Duration away;
  };

  // In the order in which members came back to MPI: one may have waited for another one before.
  void add_all_progress(const CollectiveView& view, std::uint32_t instance_index) {
    const CollectiveInstance& instance = sync_.collectives[instance_index];
    const auto members = sync_.members_of(instance);
    std::vector<Progress> all;
    for (const CollectiveWait& wait : in_instance_) {
      if (wait.wait <= Duration::zero()) continue;
      const CollectiveMember& waiting = members[wait.victim];
      OpRef victim{waiting.location, completion_of(trace_, instance, waiting)};
      if (is_test(trace_.kind(victim)) || first_test(rows_, victim) != victim.op) continue;
      if (const Participant& me = view.participants[wait.victim]; me.parts > 0)
        victim.op = me.first_part + wait.part;
      all.push_back({wait, victim, back_in_mpi(wait, view, instance_index), {}});
    }
    std::ranges::stable_sort(all, {}, [&](const Progress& one) { return trace_.enter(one.back); });
    std::map<std::size_t, std::vector<const Progress*>>
        before;  // of members whose call has parts: their waits
    for (Progress& one : all) {
      const Time until = trace_.enter(one.back), from = until - one.wait.wait;
      one.away = outside_mpi(trace_, from, one.back);
      if (view.participants[one.wait.cause].parts > 0)
        one.away += waited_inside(before[one.wait.cause], from, until);
      if (view.participants[one.wait.victim].parts > 0) before[one.wait.victim].push_back(&one);
      if (one.away > Duration::zero())
        waits_.push_back({one.victim, one.back, one.away, instance_index, id_of(collective_progress)});
    }
  }

  // The part of a wait in which the other process was outside MPI while the victim only waited, or waited itself in
  // parts of the same call.
  Duration waited_inside(const std::vector<const Progress*>& waits, Time from, Time until) const {
    Duration waited{};
    for (const Progress* const one : waits) {
      const Time end = std::min(until, trace_.enter(one->back));
      const Time begin = std::max(from, trace_.enter(one->back) - one->away);
      waited += std::max(Duration::zero(), end - begin);
    }
    return waited;
  }

  // Where the operation was tested for, each test of the row waited; and each part of a call.
  void add(OpRef last, WaitState wait, const Participant& me) {
    const std::uint32_t first = me.parts > 0 ? me.first_part : first_test(rows_, last);
    const Time released = me.waits_from + wait.wait;
    for (std::uint32_t op = first; op <= last.op; ++op) {
      wait.victim = {last.location, op};
      // It goes on, and waits in a later part; this one ended upon something else.
      if (me.parts > 0 && op != last.op && trace_.leave(wait.victim) < released) continue;
      if (first != last.op) wait.wait = waited_at_most_until(call_times(trace_, wait.victim), released);
      if (wait.wait > Duration::zero()) waits_.push_back(wait);
    }
  }

  // The part of a fence in which others still accessed the memory of the waiting process.
  void note_accesses(const CollectiveInstance& instance, OpRef victim, const Participant& at) {
    const auto accesses = sync_.accesses_of(instance.comm, trace_.rank(victim.location));
    const auto after = std::upper_bound(accesses.begin(), accesses.end(), at.end);
    if (after != accesses.begin() && *(after - 1) > at.begin)
      listed_.add(id_of(early_fence), victim, *(after - 1) - at.begin);
  }

  const Trace& trace_;
  const SyncPoints& sync_;
  const RowsOfTests& rows_;
  const PartsByLocation& parts_;
  const UsualEnds& usual_ends_;
  std::vector<WaitState>& waits_;
  ListedTimes& listed_;
  ClockPairs& clocks_;
  bool scalasca_;  // Scalasca knows neither partners nor neighbourhoods
  std::vector<Participant> participants_;
  std::vector<CollectiveWait> in_instance_;
  std::uint64_t clock_violations_ = 0, not_analysed_ = 0, without_root_ = 0;
};

}  // namespace

std::vector<DetectedWaits> detect_collectives(const Trace& trace, const SyncPoints& sync,
                                              const DetectOptions& options, Anomalies& anomalies) {
  std::vector<PatternId> patterns;
  for (const WaitPattern* candidate : wait_patterns()) {
    const bool wanted = candidate->in_scalasca || !options.scalasca;
    if (candidate->on_collective != nullptr && wanted) patterns.push_back(id_of(*candidate));
  }
  constexpr std::size_t kInstances = 256;  // of one block
  std::vector<DetectedWaits> found((sync.collectives.size() + kInstances - 1) / kInstances,
                                   DetectedWaits(trace));
  std::vector<Anomalies> odd(found.size());
  RowsOfTests rows;
  for (std::uint32_t l = 0; has_tests(trace) && l < trace.timelines().size(); ++l)
    rows.emplace_back(trace, Location(l));
  PartsByLocation parts(trace.timelines().size());
  for_each_index(parts.size(), [&](std::size_t l) { parts[l] = PartsOfCalls(trace, Location(l)); });
  const UsualEnds usual_ends = options.scalasca ? UsualEnds() : UsualEnds(trace, sync);
  for_each_index(found.size(), [&](std::size_t block) {
    CollectiveDetection detection(trace, sync, rows, parts, usual_ends, found[block], options.scalasca);
    const std::size_t last = std::min((block + 1) * kInstances, sync.collectives.size());
    for (std::size_t i = block * kInstances; i < last; ++i) {
      const bool looked_at = !sync.collectives[i].nonblocking || !options.scalasca;
      if (looked_at) detection.look_at(static_cast<std::uint32_t>(i), patterns);
    }
    detection.report(odd[block]);
  });
  for (const Anomalies& block : odd) anomalies.merge(block);
  return found;
}

}  // namespace waitdiag
