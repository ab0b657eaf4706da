// The archive of a program that did not reach MPI_Finalize, made of what it left in its directory.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waitprof::archive {

// A directory with the files of crash_safe_layout.hpp and without an anchor: an archive in the making, or one
// that was never finished.
bool is_unfinished(const std::string& directory);

struct Recovery {
  std::uint32_t ranks = 0, world_size = 0;  // ranks whose events were found, and all there were
  bool finished = false;                    // the program came to its end, and left it at that
  bool sessions = false;                    // as programs do that use only those
  bool parts = false;                       // of nodes that did not share the directory
  std::uint64_t events = 0;                 // OTF2 records
  std::vector<std::string> troubles;        // what could not be read, one sentence each
};

// Writes the archive into the directory itself (and removes what it was made of), or into `target`, a
// directory that is new or empty, leaving the others as they are: several only then, the parts of a run on nodes
// that did not share one. Throws std::runtime_error with a sentence for the user: the program still runs, nothing
// can be read, no room, other nodes have parts of it and there is no `target`.
Recovery recover_archive(const std::vector<std::string>& directories, const std::string& target = "");

}  // namespace waitprof::archive
