// This process's handle on the archive, set up so that OTF2 never talks to other ranks, never prints, and
// needs one event chunk of memory per thread. All ranks open the same archive; agreement between them is made
// outside.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace waitprof::archive {

// 256 KiB stays in the cache between conversion and write: a quarter faster than OTF2's default of 1 MiB, and
// the size of the files is the same.
inline constexpr std::uint64_t kEventChunk = 256 * 1024;

// Before OTF2's part of the memory for a chunk.
inline constexpr std::uint64_t kChunkHeader = 64;

struct Session {
  OTF2_Archive* otf2 = nullptr;
  std::string directory;
  bool definition_chunk_set = false;
  bool primary = false;              // rank 0 while all is well: writes global definitions and anchor
  std::atomic<bool> failed = false;  // an event file could not be written: no more events on this rank
  // Where the chunk of a location's event file goes; nullptr, or if it gives none: in memory of its own.
  std::byte* (*event_chunk_room)(OTF2_LocationRef) = nullptr;
};
extern Session session;

// The primary makes the files' directory, so it opens first. False: see last_error().
bool open_session(const std::string& directory, bool primary);

// Memory for one definition writer; the same on all ranks, before the first definition. OTF2 takes it once,
// so later calls say what became of the first.
bool set_definition_chunk(std::uint64_t bytes);

// Writes the anchor if primary.
bool close_session();

// What went wrong first, e.g. "No space left on device: .../traces/0.evt".
std::string last_error();

}  // namespace waitprof::archive
