// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/peer_bytes.hpp"

#include "libwaitprof/handles/peer_lists.hpp"
#include "libwaitprof/hooks/neighbours.hpp"

namespace waitprof::hooks {

namespace {

// Runs of neighbouring ranks with equal bytes, in memory that holds kMostPeerRuns of them and one more, which
// shows that there are too many.
class Runs {
 public:
  explicit Runs(PeerRun* memory) noexcept : runs_(memory) { runs_[0] = {0, 0, 0}; }

  void add(int rank, std::uint64_t bytes) noexcept {
    if (rank == MPI_PROC_NULL || bytes == 0 || count_ > kMostPeerRuns) {
      return;
    }
    PeerRun& newest = runs_[count_ - 1];
    if (count_ > first_ && newest.last + 1 == rank && newest.bytes == bytes) {
      newest.last = rank;
    } else {
      runs_[count_++] = {rank, rank, bytes};
    }
  }
  // The runs added so far were sent, the following ones are received.
  void end_sent() noexcept {
    runs_[0].last = static_cast<int>(count_ - 1);
    first_ = count_;
  }
  std::span<const PeerRun> all() const noexcept { return {runs_, count_}; }

 private:
  PeerRun* runs_;
  std::size_t count_ = 1, first_ = 1;
};

}  // namespace

std::uint32_t peers_of(const Collective& c, const Place& place, ThreadState& thread) noexcept {
  const bool by_counts = c.op == CollectiveOp::Alltoallv || c.op == CollectiveOp::Alltoallw;
  if ((!by_counts && !among_neighbours(c.op)) || place.communicator == nullptr) {
    return kNoPeerList;
  }
  auto* memory = static_cast<PeerRun*>(scratch_memory(thread, (kMostPeerRuns + 1) * sizeof(PeerRun)));
  if (memory == nullptr) {
    return kNoPeerList;
  }
  const NeighbourList to = destinations(*place.communicator), from = sources(*place.communicator);
  const auto ranks = static_cast<std::uint32_t>(place.size);
  Runs runs(memory);
  for (std::uint32_t i = 0; i < (by_counts ? ranks : to.count()); ++i) {
    runs.add(by_counts ? static_cast<int>(i) : to.rank(i), bytes_to(c, i));
  }
  runs.end_sent();
  for (std::uint32_t i = 0; i < (by_counts ? ranks : from.count()); ++i) {
    runs.add(by_counts ? static_cast<int>(i) : from.rank(i), bytes_from(c, i));
  }
  return peer_list_id(runs.all());
}

}  // namespace waitprof::hooks
