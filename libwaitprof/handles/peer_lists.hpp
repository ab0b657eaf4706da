// Who exchanged how many bytes with whom in a collective whose blocks differ: each distinct list is kept
// once, since programs repeat them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace waitprof {

// Ranks `first` to `last` of the communicator (of an inter-communicator: of the remote group), and the bytes
// of each.
struct PeerRun {
  std::int32_t first, last;
  std::uint64_t bytes;
  friend bool operator==(const PeerRun&, const PeerRun&) = default;
};

struct PeerList {
  std::span<const PeerRun> sent, received;
};

// The first entry is no run: its `last` says how many of the following runs were sent.
inline PeerList split_runs(std::span<const PeerRun> kept) noexcept {
  const std::span<const PeerRun> runs = kept.subspan(1);
  const auto sent = static_cast<std::size_t>(kept.front().last);
  return {runs.first(sent), runs.subspan(sent)};
}

inline constexpr std::uint32_t kNoPeerList = 0;
inline constexpr std::size_t kMostPeerRuns = 1024;  // of one list; longer ones are not kept

// Finds or makes the id of the runs sent and received, with {0, how many are sent, 0} in front; kNoPeerList
// when the list is too long, or the table or the memory is full.
std::uint32_t peer_list_id(std::span<const PeerRun> runs) noexcept;

std::uint32_t peer_list_count() noexcept;
PeerList peer_list(std::uint32_t id) noexcept;  // 1 <= id <= peer_list_count()

}  // namespace waitprof
