// What was recorded of each message and collective operation, for all ranks and runs, side by side.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/scaling/program_laws/neighbour_laws.hpp"
#include "analyzer/scaling/rank_laws/peer_law.hpp"
#include "analyzer/scaling/rank_laws/roles.hpp"

namespace waitdiag {

// Figures are by instance of the call and by rank.
struct MessageRecords {
  std::uint32_t call = 0, completed = 0;  // places
  bool send = false;
  std::int32_t tag = 0;
  bool any_source = false;  // all of them, where they are received
  Instances instances{};
  RankPeers peers{};
  RankFigures bytes{};
  UsedComms comms{};  // by run and rank
};

struct CollectiveRecords {
  std::uint32_t call = 0, completed = 0;  // places
  CollectiveKind kind = CollectiveKind::Other;
  Instances instances{};
  std::vector<std::vector<Rank>> root{};
  RankFigures sent{}, received{};
  UsedComms comms{};        // by instance and rank
  RankBlocks to{}, from{};  // of neighbourhood operations
  // By instance, sender and receiver, where blocks differ and all ranks take part; otherwise empty.
  std::vector<std::vector<std::vector<double>>> pairs{};
};

struct SlotRecords {
  std::vector<MessageRecords> messages{};        // by call
  std::vector<CollectiveRecords> collectives{};  // by call
};

// `several`: messages that one call posts with the same tag, in any order, some of them only where there is a
// neighbour (MPI_Startall). Sorted by partner: each of the result is what one law of peers gives. Throws TraceError
// where no laws do.
std::vector<MessageRecords> sort_by_partner(const Study& study, const std::vector<MessageRecords>& several);

// Throws TraceError where a rank takes part in something in which the others do not, or completes it
// elsewhere.
SlotRecords collect_records(const Study& study);

}  // namespace waitdiag
