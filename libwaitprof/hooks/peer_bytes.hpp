// Who exchanges how much with whom: Alltoallv, Alltoallw and the neighbourhood collectives.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/hooks/collective_bytes.hpp"

namespace waitprof::hooks {

// The id of its peer list (handles/peer_lists.hpp); kNoPeerList for other operations, where all blocks are
// equal, and for lists that cannot be kept.
std::uint32_t peers_of(const Collective& collective, const Place& place, ThreadState& thread) noexcept;

}  // namespace waitprof::hooks
