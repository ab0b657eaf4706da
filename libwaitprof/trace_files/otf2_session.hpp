// This process's handle on the archive, set up so that OTF2 never talks to other ranks and never prints. It
// writes definitions and the anchor; events: event_file.hpp. All ranks open the same archive; the callers
// make sure that they agree.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace waitprof::archive {

struct Session {
  OTF2_Archive* otf2 = nullptr;
  std::string directory;
  bool definition_chunk_set = false;
  bool opened_as_primary = false;    // rank 0
  bool primary = false;              // rank 0 while all is well: writes global definitions and anchor
  std::atomic<bool> failed = false;  // an event file could not be written: no more events on this rank
};
extern Session session;

// The primary makes the directory of the files, so it has to open first. False: see last_error().
bool open_session(const std::string& directory, bool primary);

// Memory for one definition writer; the same on all ranks, before the first definition. OTF2 accepts this
// only once; later calls return the result of the first.
bool set_definition_chunk(std::uint64_t bytes);

// Writes the anchor if primary.
bool close_session();

// What went wrong first, e.g. "No space left on device: .../traces/0.evt".
std::string last_error();

}  // namespace waitprof::archive
