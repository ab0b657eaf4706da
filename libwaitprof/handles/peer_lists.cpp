// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/handles/peer_lists.hpp"

#include "libwaitprof/crash_safe/kept_arrays.hpp"

namespace waitprof {

namespace {

constinit KeptArrays<PeerRun> lists{std::size_t{1} << 18, RecordKind::PeerList};  // 4 MiB

std::uint64_t number_of(const PeerRun& run) noexcept {
  const std::uint64_t ranks = static_cast<std::uint32_t>(run.first) |
                              static_cast<std::uint64_t>(static_cast<std::uint32_t>(run.last)) << 32;
  return ranks * 31 + run.bytes;
}

}  // namespace

std::uint32_t peer_list_id(std::span<const PeerRun> runs) noexcept {
  return runs.size() <= kMostPeerRuns ? lists.id(runs, number_of) : kNoPeerList;
}

std::uint32_t peer_list_count() noexcept {
  return lists.count();
}

PeerList peer_list(std::uint32_t id) noexcept {
  return split_runs(lists[id]);
}

}  // namespace waitprof
