// How many bytes a collective moves, seen from one rank, by Score-P's conventions, so that numbers can be
// compared. A rank also counts what it sends to itself, but not with MPI_IN_PLACE.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/hooks/collective.hpp"

namespace waitprof::hooks {

// One rank's place in the communicator.
struct Place {
  std::uint64_t size = 1;  // ranks that it exchanges data with: its own group, or the remote one
  std::uint64_t local_size = 1;
  std::uint64_t rank = 0;
  bool is_root = false;
  bool is_leaf =
      true;  // has data of its own in a rooted collective; false for the root of an inter-communicator
  const Communicator* communicator = nullptr;  // neighbourhood collectives: whose topology counts
};

struct MovedBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

// Bytes sent to the i-th peer, and received from it, in operations whose blocks differ; this rank itself is
// one of the peers.
std::uint64_t bytes_to(const Collective& collective, std::uint32_t i) noexcept;
std::uint64_t bytes_from(const Collective& collective, std::uint32_t i) noexcept;

constexpr bool among_neighbours(CollectiveOp op) noexcept {
  return op >= CollectiveOp::NeighborAllgather && op <= CollectiveOp::NeighborAlltoallw;
}

// Only arguments that are significant at this rank are looked at.
MovedBytes moved_bytes(const Collective& collective, const Place& place) noexcept;

}  // namespace waitprof::hooks
