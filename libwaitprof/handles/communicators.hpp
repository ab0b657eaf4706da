// Communicators of this process: handle -> local id, and what archive/ must know about each.
//
// Every rank names a communicator by a key that all members compute alike without communication: a hash of
// the parent's key, the members, and how many communicators of the same parent and members came before.
// (Every member takes part in creating each of those, so all count alike. This also holds for
// MPI_Comm_create_group, which ranks outside the group do not see.)
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "libwaitprof/buffer/event.hpp"

namespace waitprof {

enum class TopologyKind : std::uint8_t { None, Cartesian, Graph, DistributedGraph };

struct Communicator {
  std::uint64_t key = 0;                // same on all members
  std::uint64_t parent_key = 0;         // 0: none
  std::span<const int> members;         // world ranks, in communicator order
  std::span<const int> remote_members;  // inter-communicators
  const char* name = nullptr;           // as set by MPI_Comm_set_name, nullptr if never
  TopologyKind topology = TopologyKind::None;
  std::span<const int> dims, periods,
      coords;  // Cartesian; Graph: dims = nodes, edges; DistributedGraph: in, out degree
  std::span<const int>
      edges;     // Graph: index, then edges, as given; DistributedGraph: own sources, then destinations
  int rank = 0;  // of this process in it
  // Under the TableLock:
  bool recorded = false;         // a record, or a name, refers to it as a communicator of its own
  bool again = false;            // its id had been another's; the journal does not know
  std::uint64_t alike = 0;       // equal for communicators with the same parent and members
  std::uint32_t next_spare = 0;  // of the spare ids of those
};

std::uint32_t communicator_count() noexcept;
const Communicator& communicator(std::uint32_t id) noexcept;

// The communicator of a handle as given by the application, valid or not: kUnknownComm if it was never seen.
// For a record that names it: its id is never given to another one from then on.
std::uint32_t communicator_of(MPI_Comm handle) noexcept;

// The same for a look that leaves no trace.
std::uint32_t known_communicator(MPI_Comm handle) noexcept;

// MPI_COMM_WORLD and MPI_COMM_SELF; after MPI_Init. False: no memory.
bool start_communicators() noexcept;

// Takes in a communicator that MPI has just made; kUnknownComm if there is no memory, or not all its members
// are in MPI_COMM_WORLD. `salt` tells
// communicators apart that threads make at the same time (the tag of MPI_Comm_create_group).
// `may_have_topology` is false where it cannot have one: SMPI warns when asked for one that is not there.
std::uint32_t add_communicator(MPI_Comm handle, std::uint32_t parent, int salt,
                               bool topology = true) noexcept;

// The same for a duplicate, without asking MPI about it: it may still be in the making (MPI_Comm_idup).
std::uint32_t add_copy(MPI_Comm handle, std::uint32_t parent) noexcept;

// MPI gives every open file a communicator of its own, a duplicate of the one that it was opened with, and
// so do we: calls on a file are a sequence of their own. kUnknownComm also if `parent` has only one process.
std::uint32_t add_file(MPI_File file, std::uint32_t parent) noexcept;
std::uint32_t communicator_of(MPI_File file) noexcept;
void forget_file(MPI_File file) noexcept;

// Writes down the communicators that were there before the journal.
void journal_communicators() noexcept;

// False: no record refers to it. Then its id goes to the next one with the same parent and members, so that
// programs may make and free communicators without end.
bool forget_communicator(MPI_Comm handle) noexcept;
void name_communicator(std::uint32_t id, const char* name) noexcept;

// Our own copy of an object's name, in place of an earlier one (or of nullptr).
void keep_name(const char*& kept, const char* name) noexcept;

}  // namespace waitprof
