// What was recorded of each message and collective operation, rank by rank and run by run, side by side.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/scaling/rescaling/peer_law.hpp"
#include "analyzer/scaling/rescaling/roles.hpp"

namespace waitdiag {

struct MessageRecords {
  std::uint32_t call = 0, completed = 0;
  bool send = false;
  std::int32_t tag = 0;
  PeersByRun peers{};
  RankFigures bytes{};
  UsedComms comms{};
};

struct CollectiveRecords {
  std::uint32_t call = 0, completed = 0;
  CollectiveKind kind = CollectiveKind::Other;
  std::vector<std::vector<Rank>> root{};  // by run and rank
  RankFigures sent{}, received{};
  UsedComms comms{};
  // By run, sender and receiver, where blocks differ and all ranks take part; else empty.
  std::vector<std::vector<std::vector<double>>> pairs{};
};

struct SlotRecords {
  std::vector<MessageRecords> messages{};        // by call
  std::vector<CollectiveRecords> collectives{};  // by call
};

// Throws TraceError where a rank takes part in something that the others do not, or completes it elsewhere.
SlotRecords collect_records(const Study& study);

}  // namespace waitdiag
