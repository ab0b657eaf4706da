// Which rank the messages of each call reach: by rules that hold in all runs, or, where the study allows it, drawn
// (drawn_partners.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/scaling/program_laws/slot_records.hpp"
#include "analyzer/scaling/program_laws/slots.hpp"

namespace waitdiag {

struct MessagePartners {
  std::vector<MessageSlot> slots{};       // still without bytes
  std::vector<MessageRecords> records{};  // of each slot; bytes of one with drawn partners are means
};

// Throws TraceError for partners without a rule that may not be drawn, or that cannot be: nobody receives those
// messages in a call of its own.
MessagePartners find_partners(const Study& study, Roles& roles, PeerLaws& peers,
                              std::vector<MessageRecords> records);

}  // namespace waitdiag
