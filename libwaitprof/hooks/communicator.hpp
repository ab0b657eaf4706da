// Communicators made, freed and named. Constructors are collectives over the parent.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "libwaitprof/hooks/call.hpp"

namespace waitprof::hooks {

struct CommConstructor {
  enum Meaning {
    Collective,  // over the parent; MPI knows the members
    Copy,        // the same, and the members are the parent's
    CopyLater,   // nonblocking: waits for no other rank
    FromGroup,   // collective over the new communicator only
  };

  MPI_Comm parent = MPI_COMM_NULL;
  const MPI_Comm* newcomm = nullptr;
  int tag = 0;
  const char* stringtag = nullptr;
  Meaning meaning = Collective;
  bool topology = true;  // false: the new communicator cannot have one

  void after(RecordedCall& call) const noexcept;
};

// MPI_Comm_spawn and the like: a communicator with processes of another job, with which the recorder does not
// communicate. They are counted, on one rank.
struct JobConnector {
  MPI_Comm comm = MPI_COMM_NULL;  // whose members call; MPI_Comm_join: this process
  const MPI_Comm* newcomm = nullptr;
  int root = 0;
  bool spawns = false;

  void after(RecordedCall& call) const noexcept;
};

struct CommFree {
  const MPI_Comm* comm;
  MPI_Comm handle = MPI_COMM_NULL;  // MPI overwrites the application's

  void before(const RecordedCall& call) noexcept;
  void after(RecordedCall& call) const noexcept;
};

struct CommSetName {
  MPI_Comm comm;
  const char* name;

  void after(const RecordedCall& call) const noexcept;
};

}  // namespace waitprof::hooks
