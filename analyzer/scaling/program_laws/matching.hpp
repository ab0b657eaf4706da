// Whether the laws of both ends of messages agree in the target.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "analyzer/scaling/program_laws/slots.hpp"

namespace waitdiag {

// For all ranks of the target that have a peer, and make the call (`presence` may be nullptr: all do): a sum of marks, each
// different for another sender, receiver or tag. Two laws that have the same one give two ends of the same messages.
std::uint64_t ends_in_target(const Study& study, const MessageSlot& slot, const Presence& presence);

// Throws TraceError if messages are sent that nobody receives, or the other way round, although the recorded runs have no
// such messages: then one of the laws holds there by chance.
void check_matching(const Study& study, const std::vector<MessageSlot>& messages,
                    const std::vector<Presence>& presence);

}  // namespace waitdiag
