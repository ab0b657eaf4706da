// Checks the event files of an archive before they are read: how much of each can be read, and what is
// missing.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "analyzer/formats/read/archive_places.hpp"
#include "analyzer/trace/builder/trace_builder.hpp"

namespace waitdiag {

struct EventFile {
  RecordedLocation location;
  std::uint64_t readable = 0;  // whole events; 0 if there is nothing to read
  bool cut_off = false;        // the file once had more
  RecordCounts counts{};
};

// One for each location. Every file that is missing, unreadable or ends early becomes a Serious anomaly;
// TraceError if no event is left.
std::vector<EventFile> look_at_event_files(const std::filesystem::path& anchor, std::uint64_t chunk_size,
                                           const std::vector<RecordedLocation>& locations,
                                           TraceBuilder& builder);

}  // namespace waitdiag
