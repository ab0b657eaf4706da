// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/message_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace waitdiag {
namespace {

bool is_by_pairs(CollectiveKind kind) {
  return kind == CollectiveKind::Alltoall || kind == CollectiveKind::Alltoallv ||
         kind == CollectiveKind::Alltoallw || kind == CollectiveKind::Allgather ||
         kind == CollectiveKind::Allreduce || kind == CollectiveKind::ReduceScatter;
}

// Visits the size of each message, and of what each rank sends another in a collective operation, as far as
// known.
template <typename Visit>
void for_each_size(const Trace& trace, Visit visit) {
  for (const Timeline& timeline : trace.timelines()) {
    for (const MessageEnd& send : timeline.sends()) visit(send.bytes);
    for (const CollectivePart& part : timeline.collectives()) {
      if (part.peers != kNoPeerList) {
        for (const PeerRun& run : trace.peer_lists()[index(part.peers)].sent) visit(run.bytes);
        continue;
      }
      const std::size_t members = part.comm == kNoComm ? 1 : trace.communicator(part.comm).members.size();
      visit(is_by_pairs(part.kind) && members > 1 ? part.sent / members : part.sent);
    }
  }
}

}  // namespace

std::optional<RescalingReport::Outside> outside_recorded(std::span<const SizedRun> recorded,
                                                         const Trace& target) {
  RescalingReport::Outside outside{.recorded = {UINT64_MAX, 0}, .target = {UINT64_MAX, 0}};
  const auto widen = [](RescalingReport::Sizes& sizes, std::uint64_t bytes) {
    sizes.least = std::min(sizes.least, bytes);
    sizes.most = std::max(sizes.most, bytes);
  };
  for (const SizedRun& run : recorded)
    for_each_size(*run.source.trace, [&](std::uint64_t bytes) {
      if (bytes > 0) widen(outside.recorded, bytes);
    });
  if (outside.recorded.most == 0) return std::nullopt;
  double all = 0, count = 0;
  for_each_size(target, [&](std::uint64_t bytes) {
    if (bytes == 0) return;
    ++all;
    const std::uint64_t nearest = std::clamp(bytes, outside.recorded.least, outside.recorded.most);
    if (nearest == bytes) return;
    widen(outside.target, bytes);
    ++count;
    outside.doublings += std::abs(std::log2(static_cast<double>(bytes) / static_cast<double>(nearest)));
  });
  if (count == 0) return std::nullopt;
  outside.share = count / all;
  outside.doublings /= all;
  return outside;
}

}  // namespace waitdiag
