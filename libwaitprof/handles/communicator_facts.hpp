// What MPI knows about a communicator: its members as world ranks, its topology. Asks MPI, keeps copies for
// ever.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"

namespace waitprof {

// All processes of the job, in the order of MPI_COMM_WORLD, for as long as this object lives. Where there is
// no MPI_COMM_WORLD, opens a session of our own to ask; while the program has one open, that is a local
// operation.
class WorldGroup {
 public:
  WorldGroup() noexcept;
  ~WorldGroup();
  WorldGroup(const WorldGroup&) = delete;
  WorldGroup& operator=(const WorldGroup&) = delete;

  MPI_Group get() const noexcept { return group_; }  // MPI_GROUP_NULL: MPI would not say

 private:
  Session session_ = kNoSession;
  MPI_Group group_ = MPI_GROUP_NULL;
};

// World ranks of the processes of a group, -1 for those that are not in MPI_COMM_WORLD, in scratch memory of
// the thread; empty if there is none.
std::span<const int> world_ranks_of(MPI_Group group) noexcept;

// Describes MPI_COMM_WORLD and MPI_COMM_SELF, even for a program that uses only sessions and so has neither.
// False: no memory.
bool describe_predefined(Communicator& all, Communicator& self) noexcept;

// Fills members, remote_members, rank and topology. False: there is no room (then there are no members), or
// some members are processes of another job, which the archive of this job does not know. Spans are shared
// with `parent` where equal.
bool ask_mpi_about(MPI_Comm handle, const Communicator* parent, Communicator& communicator,
                   bool topology) noexcept;

}  // namespace waitprof
