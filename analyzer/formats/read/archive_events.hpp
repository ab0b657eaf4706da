// The events of one location of an OTF2 archive -> TraceBuilder, times in nanoseconds since the archive's
// zero.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>
#include <functional>
#include <limits>
#include <string>

#include "analyzer/formats/read/archive_code.hpp"
#include "analyzer/formats/read/archive_definitions.hpp"
#include "analyzer/formats/read/archive_places.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"
#include "libwaitprof/schema/repeated_paths.hpp"

namespace waitdiag {

// Everything the callbacks of one location need.
struct EventContext {
  TraceBuilder& builder;
  const ArchiveCode& code;
  const ArchiveCommunicators& communicators;
  const ArchiveDefinitions& definitions;
  const std::unordered_map<OTF2_StringRef, PeerListId>& peer_lists;
  RegionId flush_region;
  Location location{};
  Rank rank{};
  Time limit = Time::max();  // reading stops at the first event after it
  Time last{};               // of the last event read
  bool stopped = false;      // at the limit
  waitprof::schema::RepeatedPaths<CallPathId, kNoCallPath> paths{};
  std::string program{};  // from ProgramBegin
  std::uint64_t presence =
      0;  // least of what it says is known of it (schema::kPresenceParameter); 0: nothing
};

// Reads up to `events` events; returns how many were read. `progress` is called after about every million.
std::uint64_t read_events(OTF2_Reader* reader, OTF2_EvtReader* event_reader, std::uint64_t events,
                          EventContext& context, const std::function<void(std::uint64_t)>& progress);

// Time of the last region event among the first `events`: where a cut-off file ends.
Time last_time(OTF2_Reader* reader, OTF2_EvtReader* event_reader, std::uint64_t events,
               const ArchiveDefinitions& definitions);

// Ticks of the archive's clock -> nanoseconds since its zero, rounded down.
Time to_time(std::uint64_t ticks, std::uint64_t zero, std::uint64_t resolution);

// One-sided communication in an archive: accesses to windows, and what completes them.
// Their user pointer is an EventContext.
void set_one_sided_callbacks(OTF2_EvtReaderCallbacks* callbacks);
// Threads that start, join and wake others.
void set_thread_callbacks(OTF2_EvtReaderCallbacks* callbacks);

// Of an ENTER, which may leave it out (RepeatedPaths): to be asked once for each, in their order.
CallPathId path_of_enter(EventContext& c, const OTF2_AttributeList* attributes);
// Of our recorder's other events; kNoCallPath: it has none.
CallPathId recorded_path(EventContext& c, const OTF2_AttributeList* attributes);

}  // namespace waitdiag
