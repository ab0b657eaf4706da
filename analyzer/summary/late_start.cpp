// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/report_rows.hpp"

#include <algorithm>
#include <vector>

namespace waitdiag {
namespace {

constexpr double kWorthALine = 0.01;  // of the time of all ranks

// The MPI_Init calls, one for each rank; none where a rank lacks it.
std::vector<OpRef> starts(const Trace& trace, const SyncPoints& sync) {
  const auto init = std::ranges::find(sync.collectives, CollectiveKind::Init, &CollectiveInstance::kind);
  std::vector<OpRef> calls;
  if (init == sync.collectives.end()) return calls;
  for (const CollectiveMember& member : sync.members_of(*init))
    calls.push_back({member.location, operation_of(trace, *init, member)});
  return calls;
}

}  // namespace

std::optional<Report::LateStart> late_start(const Trace& trace, const SyncPoints& sync) {
  const std::vector<OpRef> calls = starts(trace, sync);
  if (calls.size() < 2) return std::nullopt;
  const auto enter = [&](OpRef call) { return trace.enter(call); };
  const auto [first, last] = std::ranges::minmax_element(calls, {}, enter);
  Duration stayed{}, all{};
  for (const OpRef call : calls) {
    const Timeline& timeline = trace.timeline(call.location);
    stayed += std::max(std::min(timeline.leave(call.op), enter(*last)) - enter(call), Duration::zero());
    all += timeline.end() - timeline.begin();
  }
  if (seconds(stayed) < kWorthALine * seconds(all) || stayed == Duration::zero()) return std::nullopt;
  return Report::LateStart{static_cast<std::int64_t>(trace.rank(last->location)),
                           seconds(enter(*last) - enter(*first)), seconds(stayed)};
}

}  // namespace waitdiag
