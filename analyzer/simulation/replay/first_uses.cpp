// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/first_uses.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyzer/simulation/replay/collective_schedule.hpp"
#include "analyzer/trace/model/retimed.hpp"

namespace waitdiag {
namespace {

struct Together {
  Duration time{};          // from when the last member has come to when the last one leaves
  std::uint64_t bytes = 0;  // the most that a member sends or receives
};

Together together(const Trace& trace, const SyncPoints& sync, const CollectiveInstance& instance) {
  Time last_enter = Time::min(), last_leave = Time::min();
  std::uint64_t bytes = 0;
  for (const CollectiveMember& member : sync.members_of(instance)) {
    const CollectivePart& part = trace.timeline(member.location).collectives()[member.part];
    const OpRef op{member.location, part.op};
    last_enter = std::max(last_enter, trace.enter(op));
    last_leave = std::max(last_leave, trace.leave(op));
    bytes = std::max({bytes, part.sent, part.received});
  }
  return {last_leave - last_enter, bytes};
}

bool has_first_use(const CollectiveInstance& instance) {
  return instance.members > 1 && instance.in_one_piece() && !only_gathers(instance.kind) &&
         instance.kind != CollectiveKind::CreateHandle;
}

bool about_as_large(std::uint64_t bytes, std::uint64_t other) {
  constexpr std::uint64_t kPart = 8;  // a difference of an eighth costs little
  return std::max(bytes, other) - std::min(bytes, other) <= other / kPart;
}

// `all`: of one kind in one communicator, in calling order.
Duration beyond_later_ones(const std::vector<Together>& all) {
  constexpr std::size_t kFew = 2, kSeveral = 4;
  constexpr int kClearly = 2, kFarOutside = 3, kBeyondASingleOne = 8;
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

}  // namespace waitdiag
