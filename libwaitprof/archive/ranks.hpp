// Communication between the ranks: by shared memory (surroundings/shared_memory_ranks.hpp) where all are on one machine,
// with one clock; else on a communicator of our own (mpi/private_world.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "libwaitprof/definitions/blob.hpp"
#include "libwaitprof/definitions/definitions.hpp"

namespace waitprof::archive {

class Ranks {
 public:
  // False: MPI returned an error, at least on this rank.
  bool connect() noexcept;

  // MPI_COMM_NULL: ranks share memory.
  MPI_Comm communicator() const { return communicator_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  // Collective: true if `good` on all ranks.
  bool all(bool good) noexcept;

  // Collective: the largest of the numbers, from 0, that the ranks give.
  int largest(int number) noexcept;

  // Collective: rank 0's bytes, on every rank; empty where there is no memory for them.
  void broadcast(Blob& blob) noexcept;

  // Collective: the texts of all ranks, concatenated, on rank 0. Up a binomial tree; a rank without
  // memory leaves out what it should have passed on.
  std::string gather(std::string own) noexcept;

  void send(const Blob& blob, int to) noexcept;
  Blob receive(int from) noexcept;  // empty if there is no memory for it

 private:
  void discard(std::uint64_t size, int from) noexcept;

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

// Collective: merges the definitions of all ranks up a binomial tree, lets rank 0 finish them, and carries
// the ids back down. O(log p) rounds. Returns this rank's ids -> global ids; no ids at all (definition_chunk
// is 0) if this rank or one above had no memory. `finish` runs on rank 0 and returns merged ids -> global
// ids.
IdMaps unify_over_ranks(Ranks& ranks, Definitions&& own,
                        const std::function<IdMaps(Definitions&&)>& finish) noexcept;

}  // namespace waitprof::archive
