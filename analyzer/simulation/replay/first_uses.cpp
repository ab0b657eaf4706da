// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/first_uses.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/simulation/replay/collective_schedule.hpp"
#include "analyzer/trace/derived/retimed.hpp"

namespace waitdiag {
namespace {

struct Together {
  Duration time{};          // from when the last member has come to when the last one leaves
  std::uint64_t bytes = 0;  // the most that a member sends or receives
  std::uint64_t least = 0;  // that of the member with the least
};

Together together(const Trace& trace, const SyncPoints& sync, const CollectiveInstance& instance) {
  Time last_enter = Time::min(), last_leave = Time::min();
  std::uint64_t bytes = 0, least = UINT64_MAX;
  for (const CollectiveMember& member : sync.members_of(instance)) {
    const CollectivePart& part = trace.timeline(member.location).collectives()[member.part];
    const OpRef op{member.location, part.op};
    last_enter = std::max(last_enter, trace.enter(op));
    last_leave = std::max(last_leave, trace.leave(op));
    bytes = std::max({bytes, part.sent, part.received});
    least = std::min(least, std::max(part.sent, part.received));
  }
  return {last_leave - last_enter, bytes, least};
}

bool has_first_use(const CollectiveInstance& instance) {
  return instance.members > 1 && instance.in_one_piece() && !only_gathers(instance.kind) &&
         instance.kind != CollectiveKind::CreateHandle;
}

constexpr int kBeyondASingleOne = 8;

bool about_as_large(std::uint64_t bytes, std::uint64_t other) {
  constexpr std::uint64_t kPart = 8;  // a difference of an eighth costs little
  return std::max(bytes, other) - std::min(bytes, other) <= other / kPart;
}

// `all`: of one kind in one communicator, in calling order.
Duration beyond_later_ones(const std::vector<Together>& all) {
  constexpr std::size_t kFew = 2, kSeveral = 4;
  constexpr int kClearly = 2, kFarOutside = 3;
  std::vector<Duration> later;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (about_as_large(all[i].bytes, all.front().bytes)) later.push_back(all[i].time);
  if (later.empty()) return {};
  std::ranges::sort(later);
  const Duration usual = later[later.size() / 2], longest = later.back();
  const Duration beyond = all.front().time - usual;
  const Duration spread = later.back() - later.front();
  const int clearly = later.size() < kFew ? kBeyondASingleOne : kClearly;
  const bool clear = (all.front().time >= clearly * longest && beyond >= spread) ||
                     (later.size() >= kSeveral && beyond >= kFarOutside * spread);
  return clear && usual > Duration::zero() ? beyond : Duration::zero();
}

// An operation of few bytes that is the only one of its kind in its communicator.
struct SingleUse {
  CommId comm = kNoComm;
  CollectiveKind kind{};
  Duration recorded{}, replayed{};
};

std::vector<SingleUse> single_uses(const Trace& trace, const SyncPoints& sync, const Trace& replayed) {
  std::map<std::pair<CommId, CollectiveKind>, std::vector<const CollectiveInstance*>> used;
  for (const CollectiveInstance& instance : sync.collectives)
    if (has_first_use(instance) && instance.comm != kNoComm)
      used[{instance.comm, instance.kind}].push_back(&instance);
  constexpr std::uint64_t kFewBytes = 16384;
  std::vector<SingleUse> found;
  for (const auto& [of, all] : used) {
    if (all.size() != 1) continue;
    const Together recorded = together(trace, sync, *all.front());
    if (recorded.least <= kFewBytes)
      found.push_back({of.first, of.second, recorded.time, together(replayed, sync, *all.front()).time});
  }
  return found;
}

std::vector<std::vector<FirstUse>> first_uses_of(const Trace& trace) {
  std::vector<std::vector<FirstUse>> known;
  for (const Communicator& comm : trace.communicators()) known.push_back(comm.first_uses);
  return known;
}

}  // namespace

Trace with_first_uses(Trace trace, const SyncPoints& sync) {
  std::map<std::pair<CommId, CollectiveKind>, std::vector<Together>> used;
  for (const CollectiveInstance& instance : sync.collectives)
    if (has_first_use(instance))
      used[{instance.comm, instance.kind}].push_back(together(trace, sync, instance));
  std::vector<std::vector<FirstUse>> found(trace.communicators().size());
  for (const auto& [of, all] : used)
    if (const Duration own = beyond_later_ones(all); own > Duration::zero())
      found[index(of.first)].push_back({of.second, own});
  return with_first_uses(std::move(trace), std::move(found));
}

std::optional<Trace> with_single_uses_as_recorded(const Trace& trace, const SyncPoints& sync) {
  const std::vector<SingleUse> single = single_uses(trace, sync, trace);
  if (single.empty()) return std::nullopt;
  std::vector<std::vector<FirstUse>> found = first_uses_of(trace);
  for (const SingleUse& use : single) found[index(use.comm)].push_back({use.kind, use.recorded});
  return with_first_uses(Trace(trace), std::move(found));
}

std::set<CollectiveKind> dear_single_uses(const Trace& trace, const SyncPoints& sync, const Trace& replayed) {
  std::set<CollectiveKind> kinds;
  for (const SingleUse& use : single_uses(trace, sync, replayed))
    if (use.replayed > Duration::zero() && use.recorded >= kBeyondASingleOne * use.replayed)
      kinds.insert(use.kind);
  return kinds;
}

Trace with_single_uses(const Trace& trace, const SyncPoints& sync, const Trace& replayed,
                       const std::set<CollectiveKind>& kinds) {
  std::vector<std::vector<FirstUse>> found = first_uses_of(trace);
  for (const SingleUse& use : single_uses(trace, sync, replayed))
    if (kinds.contains(use.kind) && use.recorded > use.replayed)
      found[index(use.comm)].push_back({use.kind, use.recorded - use.replayed});
  return with_first_uses(Trace(trace), std::move(found));
}

}  // namespace waitdiag
