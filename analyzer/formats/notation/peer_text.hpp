// Peer lists as text: "0-3:8,5:16;1:8" is 8 bytes each to ranks 0 to 3, 16 to rank 5, and 8 bytes from
// rank 1.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/trace/model/definitions.hpp"

namespace waitdiag {

std::optional<PeerList> parse_peers(std::string_view text);  // empty: not such a text
std::string peers_text(const PeerList& list);

}  // namespace waitdiag
