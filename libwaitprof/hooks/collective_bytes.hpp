// How many bytes a collective moves, seen from one rank: Score-P's conventions, so that numbers compare. A
// rank counts what goes to itself as well, but not with MPI_IN_PLACE.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/hooks/collective.hpp"

namespace waitprof::hooks {

// One rank's place in the communicator.
struct Place {
  std::uint64_t size = 1;  // ranks it exchanges data with: its own group, or the remote one
  std::uint64_t local_size = 1;
  std::uint64_t rank = 0;
  bool is_root = false;
  bool is_leaf =
      true;  // has data of its own in a rooted collective; false for the root of an inter-communicator
};

struct MovedBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

// Only arguments that are significant at this rank are looked at.
MovedBytes moved_bytes(const Collective& collective, const Place& place) noexcept;

}  // namespace waitprof::hooks
