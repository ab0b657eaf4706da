// The one thing that the ranks of a simulation share. Each rank has its own copy of the program and of the
// recorder with all its variables; all copies lie in one process, run one after the other, and take their
// memory from one malloc.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <map>
#include <string>
#include <vector>

#include "libwaitprof/definitions/definitions.hpp"

namespace waitprof::archive {

// What a rank leaves at its MPI_Finalize for the last one.
struct RankPart {
  bool there = false;
  bool whole = true;  // everything was written
  Definitions definitions;
  std::vector<OTF2_LocationRef> locations;
};

struct Job {
  std::string program;    // absolute path of the executable, of which ranks run copies
  std::string directory;  // of the archive; empty: not made yet
  bool failed = false;    // it cannot be made: nothing is recorded
  bool finished = false;  // the archive is complete, or this was given up and said
  int size = 0;
  int waiting_for = 0;  // ranks that have not ended their recording
  std::vector<RankPart> parts;
  std::map<std::string, std::string> module_paths;  // name of a loaded object -> its path, for all ranks
};

// Absolute path; "" if it is not known.
std::string program_of_command_line();

// Created by the first rank that asks.
Job& this_job();

// The code of this rank's copy of the program lies between these; the copy's name in the file system, if it
// still has one.
struct OwnCopy {
  const void* begin = nullptr;
  const void* end = nullptr;
  std::string path;
};
OwnCopy own_copy();

}  // namespace waitprof::archive
