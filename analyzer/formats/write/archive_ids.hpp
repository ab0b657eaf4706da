// The archive's ids of what a trace has: regions, call paths, communicators and locations keep their numbers.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <map>
#include <string>
#include <unordered_map>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

struct ArchiveIds {
  static constexpr OTF2_AttributeRef kCallPath = 0, kNeighbourhood = 1, kPeers = 2, kFileBytes = 3,
                                     kPolls = 4, kAnySource = 5;
  static constexpr OTF2_ParameterRef kSample = 0, kStep = 1, kPreempted = 2;

  OTF2_GlobalDefWriter* definitions = nullptr;
  std::int64_t zero = 0;  // ticks of time 0
  bool failed = false;    // something could not be written
  std::unordered_map<std::string, OTF2_StringRef> strings{};
  std::map<PeerListId, OTF2_GroupRef> groups{};  // of epochs of one-sided communication

  void check(OTF2_ErrorCode status) { failed = failed || status != OTF2_SUCCESS; }
  OTF2_StringRef string(const std::string& text) {
    const auto [entry, is_new] = strings.try_emplace(text, static_cast<OTF2_StringRef>(strings.size()));
    if (is_new) check(OTF2_GlobalDefWriter_WriteString(definitions, entry->second, text.c_str()));
    return entry->second;
  }
  OTF2_TimeStamp ticks(Time time) const {
    return static_cast<OTF2_TimeStamp>(time.time_since_epoch().count() + zero);
  }
};

// Writes the events of one location; how many records were left out.
std::uint64_t write_events(const Trace& trace, Location location, OTF2_EvtWriter* writer, ArchiveIds& ids);

}  // namespace waitdiag
