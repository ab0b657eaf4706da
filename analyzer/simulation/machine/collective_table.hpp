// Which algorithm an MPI library uses for a collective operation: a table, read from JSON.
//
// The first rule whose conditions hold applies. As in MPICH's own tables, `bytes` is the whole buffer for
// bcast, reduce, allreduce and scan; all blocks together for allgather, reduce_scatter, gather and scatter;
// and the block for one rank for alltoall.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waitdiag {

enum class CollectiveAlgorithm : std::uint8_t {
  Binomial,                  // bcast, reduce, gather, scatter
  BinomialFromFirst,         // bcast: the root sends to the first member, which has the tree
  BinomialSmallestFirst,     // scatter: every member serves its smallest subtree first
  ScatterRecursiveDoubling,  // bcast: binomial scatter, then an allgather
  ScatterRing,
  RecursiveDoubling,       // allreduce, allgather, reduce_scatter, scan
  ReduceScatterAllgather,  // allreduce (Rabenseifner)
  ReduceScatterGather,     // reduce
  Bruck,                   // allgather, alltoall
  Ring,                    // allgather: to the neighbour; alltoall: to the next one further away
  Scattered,               // alltoall: everything at once, a given number at a time
  Pairwise,                // alltoall, allgather, reduce_scatter
  RecursiveHalving,        // reduce_scatter
  Linear,                  // every message goes directly, all at once
  Dissemination,           // barrier
  TwoLevel,                // within each node, between their first ranks, within each node again
};

enum class CollectiveOperation : std::uint8_t {
  Barrier,
  Bcast,
  Reduce,
  Allreduce,
  Gather,
  Gatherv,
  Scatter,
  Scatterv,
  Allgather,
  Allgatherv,  // as Allgather where a table does not mention it
  Alltoall,
  Alltoallv,
  ReduceScatter,
  Scan,
  kCount,
};

struct AlgorithmRule {
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::Linear;
  std::uint64_t min_ranks = 0, max_ranks = UINT64_MAX, max_bytes = UINT64_MAX;
  std::optional<bool> power_of_two{}, several_nodes{}, nonblocking{};
};

// What the rules for an operation look at.
struct CollectiveCase {
  CollectiveOperation operation{};
  std::uint64_t ranks = 0, bytes = 0;
  bool several_nodes =
      false;  // the ranks are on several nodes, at least one of which has more than one of them
  bool nonblocking = false;  // MPI_Ibcast and the like
};

// An operation that a library performs to make a communicator.
struct ConstructorStage {
  CollectiveOperation operation = CollectiveOperation::Barrier;
  std::uint64_t bytes = 0;  // of the buffer; of one rank's block where operations have these
  std::optional<CollectiveAlgorithm> algorithm{};  // of gather, scatter, allgather; none: by the rules
  bool on_new = false;  // on each of the new communicators; where these are not known, on the parent
};

class CollectiveTable {
 public:
  const AlgorithmRule& choose(const CollectiveCase& one) const;
  // What MPI_Comm_split and the like (`function`) consist of.
  const std::vector<ConstructorStage>& constructor(std::string_view function) const;
  // What another function (MPI_Win_fence, MPI_Win_create, MPI_Win_free) consists of; nullptr: the table does not say.
  const std::vector<ConstructorStage>* composition(std::string_view function) const;
  // Does a stage give the bytes of each rank's block?
  static constexpr bool is_by_blocks(CollectiveOperation operation) {
    return operation == CollectiveOperation::Gather || operation == CollectiveOperation::Scatter ||
           operation == CollectiveOperation::Allgather;
  }
  std::uint32_t throttle = 32;  // messages at a time of Scattered

 private:
  friend CollectiveTable parse_collectives(std::string_view json, const std::string& source);
  std::array<std::vector<AlgorithmRule>, static_cast<std::size_t>(CollectiveOperation::kCount)> rules_;
  std::map<std::string, std::vector<ConstructorStage>, std::less<>> constructors_;  // "other": all not named
  std::map<std::string, std::vector<ConstructorStage>, std::less<>> compositions_;
};

// Throws TraceError for anything that cannot be understood.
CollectiveTable parse_collectives(std::string_view json, const std::string& source);

// One of those that come with waitdiag, or a file.
CollectiveTable find_collectives(const std::string& name_or_file);

// share/machines/collectives-NAME.json, in alphabetical order.
struct ReadyCollectives {
  const char* name;
  const char* text;
};
const std::vector<ReadyCollectives>& ready_collectives();

}  // namespace waitdiag
