// How far apart the members of a collective operation enter and leave it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// The largest duration where damaged times of many ranks add up to more.
inline Duration sum_of(Duration a, Duration b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a.count(), b.count(), &sum) ? Duration::max() : Duration(sum);
}

// Calls visit(call, before, after) for every part in a collective of processes: how much earlier than the
// last one it was entered and left.
template <typename Visit>
void for_each_desynchronised(const Trace& trace, const SyncPoints& sync, Visit visit) {
  for (const CollectiveInstance& instance : sync.collectives) {
    if (instance.kind == CollectiveKind::ThreadBarrier) continue;
    Time last_enter = Time::min(), last_leave = Time::min();
    const auto call_of = [&](const CollectiveMember& member) {
      return OpRef{member.location, operation_of(trace, instance, member)};
    };
    for (const CollectiveMember& member : sync.members_of(instance)) {
      last_enter = std::max(last_enter, trace.enter(call_of(member)));
      last_leave = std::max(last_leave, trace.leave(call_of(member)));
    }
    for (const CollectiveMember& member : sync.members_of(instance)) {
      const OpRef call = call_of(member);
      visit(call, last_enter - trace.enter(call), last_leave - trace.leave(call));
    }
  }
}

}  // namespace waitdiag
