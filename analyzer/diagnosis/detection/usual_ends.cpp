// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/usual_ends.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "analyzer/diagnosis/patterns/left_upon.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

constexpr std::size_t kEnough = 8;  // members that say how long such operations take

struct EndTimes {
  std::vector<Duration> ends{};
  SeenEnding ending{};
};

// When a member began its part, was in MPI again for the first time, waited for the operation, and left.
struct MemberTimes {
  Time begun{}, back{}, waits{}, left{};
  bool tests = false;
};

MemberTimes times_of(const Trace& trace, const CollectiveInstance& instance, const CollectiveMember& member) {
  const OpRef begun{member.location, operation_of(trace, instance, member)},
      completed{member.location, completion_of(trace, instance, member)};
  const OpRef back = begun.op < completed.op ? OpRef{begun.location, begun.op + 1} : begun;
  // What it passes on is there when the operation begins; only calls that return begin it by that.
  return {begun == completed ? trace.enter(begun) : trace.leave(begun), trace.enter(back),
          trace.enter(completed), trace.leave(completed), is_test(trace.kind(completed))};
}

void add(const std::vector<MemberTimes>& members, EndTimes& seen) {
  Time begun = Time::min(), back = Time::min(), completing = Time::min();
  for (const MemberTimes& times : members) {
    begun = std::max(begun, times.begun);
    back = std::max(back, times.back);
    completing = std::max(completing, times.waits);
  }
  for (const MemberTimes& times : members) {
    if (times.tests) continue;
    if (times.left >= completing) seen.ends.push_back(times.left - completing);
    if (times.left < back)
      ++seen.ending.before;
    else if (back > std::max(begun, times.waits))
      ++seen.ending.upon_return;
  }
}

}  // namespace

UsualEnds::UsualEnds(const Trace& trace, const SyncPoints& sync) : trace_(&trace), sync_(&sync) {
  std::map<Kind, EndTimes> seen;
  std::vector<MemberTimes> members;
  for (const CollectiveInstance& instance : sync.collectives) {
    if (instance.in_one_piece()) continue;
    members.clear();
    for (const CollectiveMember& member : sync.members_of(instance))
      members.push_back(times_of(trace, instance, member));
    add(members, seen[kind_of(instance)]);
  }
  for (auto& [kind, of_kind] : seen) {
    Ends& ends = ends_[kind];
    ends.needs_all = of_kind.ending.depends();
    if (of_kind.ends.size() < kEnough) continue;
    const auto quartile = of_kind.ends.begin() + static_cast<std::ptrdiff_t>(of_kind.ends.size() / 4);
    std::ranges::nth_element(of_kind.ends, quartile);
    ends.usual = *quartile;
  }
}

UsualEnds::Kind UsualEnds::kind_of(const CollectiveInstance& instance) const {
  std::uint64_t most = 0;
  for (const CollectiveMember& member : sync_->members_of(instance)) {
    const CollectivePart& part = trace_->timeline(member.location).collectives()[member.part];
    most = std::max({most, part.sent, part.received});
  }
  return {instance.kind, instance.comm, std::bit_width(most)};
}

UsualEnds::Ends UsualEnds::of(const CollectiveInstance& instance) const {
  const auto found = trace_ == nullptr ? ends_.end() : ends_.find(kind_of(instance));
  return found == ends_.end() ? Ends{} : found->second;
}

}  // namespace waitdiag
