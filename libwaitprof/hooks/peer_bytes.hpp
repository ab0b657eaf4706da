// Who exchanges how much with whom: Alltoallv, Alltoallw and the neighbourhood collectives.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/hooks/collective_bytes.hpp"
#include "libwaitprof/record/recorder.hpp"

namespace waitprof::hooks {

// The id of its peer list (record/peer_lists.hpp); kNoPeerList for other operations, where all blocks are
// equal, and for lists that cannot be kept.
std::uint32_t peers_of(const Collective& collective, const Place& place, ThreadState& thread) noexcept;

}  // namespace waitprof::hooks
