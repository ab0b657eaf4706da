// Reads the locations of an OTF2 archive one after the other, with a library handle of its own: handles serve
// one thread at a time, and every open file takes a megabyte. For each location, a handle looks through all that
// it knows: it should know few.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "analyzer/formats/read/archive_events.hpp"
#include "analyzer/formats/read/event_files.hpp"
#include "analyzer/formats/read/otf2_session.hpp"

namespace waitdiag {

// What became of one location.
struct LocationRead {
  bool definitions_missing = false, definitions_damaged = false;
  bool has_id_mappings = false, has_clock_corrections = false;
  std::uint64_t events = 0;       // how many were read
  std::string complaint{};        // the library's, if fewer were read than could be
  bool stopped_at_limit = false;  // not an error
  std::string program{};
  std::uint64_t presence = 0;  // as in EventContext
};

class LocationReader {
 public:
  static constexpr std::size_t kFew = 256;

  LocationReader(const std::filesystem::path& anchor, Otf2Complaints& complaints,
                 std::span<const RecordedLocation> locations);

  // Local definitions first: clock corrections and id mappings, which the library then applies. `events` as
  // in the file; 0: only the definitions.
  LocationRead read(const RecordedLocation& location, std::uint64_t events, EventContext& context,
                    const std::function<void(std::uint64_t)>& progress);

  // When the last region event among the first `events` happened.
  Time last_time(const RecordedLocation& location, std::uint64_t events,
                 const ArchiveDefinitions& definitions);

 private:
  void read_definitions(const RecordedLocation& location, LocationRead& result);

  const std::filesystem::path& anchor_;
  Otf2Complaints& complaints_;
  Otf2Reader reader_;
  std::uint64_t definition_chunk_ = 0;
};

}  // namespace waitdiag
