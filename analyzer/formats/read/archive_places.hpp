// Who took part: the archive's processes, threads and communicators as world ranks, locations and
// communicators of the trace.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/formats/read/archive_definitions.hpp"
#include "analyzer/formats/read/ref_table.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {

struct RecordedLocation {
  OTF2_LocationRef id;
  Location location;
  Rank rank;
  std::uint64_t events;  // as the definitions promise
};

// Adds the CPU threads of all ranks to the builder, by rank, then thread. Others are counted and left out.
std::vector<RecordedLocation> add_locations(const ArchiveDefinitions& definitions, TraceBuilder& builder);

// The peer lists among the archive's texts; if one cannot be parsed, its peers stay unknown.
std::unordered_map<OTF2_StringRef, PeerListId> add_peer_lists(const ArchiveDefinitions& definitions,
                                                              TraceBuilder& builder);

// Communicators with the translation of their ranks to world ranks.
class ArchiveCommunicators {
 public:
  ArchiveCommunicators(const ArchiveDefinitions& definitions, TraceBuilder& builder);

  CommId comm(OTF2_CommRef ref) const;                                       // kNoComm if unknown
  Rank peer(OTF2_CommRef ref, std::uint32_t rank_in_comm, Rank self) const;  // kNoRank if unknown
  CommId window(OTF2_RmaWinRef ref) const;                                   // kNoComm if unknown
  Rank target(OTF2_RmaWinRef ref, std::uint32_t rank, Rank self) const;      // kNoRank if unknown, or for all
  PeerListId group(OTF2_GroupRef ref) const;  // its world ranks, in `sent`; kNoPeerList if unknown
  Rank root(OTF2_CommRef ref, std::uint32_t rank_in_comm,
            Rank self) const;  // the same, within its own group

 private:
  struct Comm {
    CommId id = kNoComm;
    bool self = false;
    std::vector<Rank> members, remote_members;
  };
  struct Window {
    CommId id = kNoComm;
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
  };
  void add_windows(const ArchiveDefinitions& definitions, TraceBuilder& builder);

  RefTable<Comm> comms_;
  std::unordered_map<OTF2_RmaWinRef, Window> windows_;
  std::unordered_map<OTF2_GroupRef, PeerListId> groups_;
};

}  // namespace waitdiag
