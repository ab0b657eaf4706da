// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/record/peer_lists.hpp"

#include "libwaitprof/record/kept_arrays.hpp"

namespace waitprof {

namespace {

// In front of the runs stands one that says how many of them were sent: in `last`.
constinit KeptArrays<PeerRun> lists{std::size_t{1} << 18};  // 4 MiB

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
  const std::span<const PeerRun> runs = lists[id].subspan(1);
  const auto sent = static_cast<std::size_t>(lists[id].front().last);
  return {runs.first(sent), runs.subspan(sent)};
}

}  // namespace waitprof
