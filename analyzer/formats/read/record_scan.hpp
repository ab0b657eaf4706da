// Scans the records of one OTF2 event or definition file before the OTF2 library reads it: how many whole
// ones there are, of which types, and where the file stops making sense. OTF2 files carry no checksum, and
// the library reads on into stale memory when a file ends early; so the library is told beforehand how many
// records it may read.
//
//   chunk:   header | record | record | ... | end of chunk (0, up to the next multiple of the chunk size)
//   record:  type (1 byte) | length (1 byte, or 255 and 8 bytes) | data;  a few types have a compressed
//   number instead
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

namespace waitdiag {

enum class RecordFile : std::uint8_t { Events, Definitions, LocalDefinitions };

struct RecordScan {
  std::uint64_t records = 0;  // whole records, without time stamps and attribute lists
  std::array<std::uint64_t, 256> by_type{};
  bool exists = false;
  bool complete = false;  // the end-of-file mark was reached
  std::string trouble{};  // why not, e.g. "ends in the middle of a record at byte 312"
};

RecordScan scan_records(const std::filesystem::path& path, RecordFile kind, std::uint64_t chunk_size);

// Name of an event type that the analysis ignores but that is worth mentioning; nullptr for the others.
const char* skipped_event_name(std::uint8_t type);

}  // namespace waitdiag
