// Who exchanged how many bytes with whom, as a string of the archive: "prefix0-3:8,5:16;1:8".
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "libwaitprof/handles/peer_lists.hpp"

namespace waitprof::archive {

// schema::kPeersPrefix, the runs sent, ";", the runs received.
std::string peers_text(const PeerList& list);

}  // namespace waitprof::archive
