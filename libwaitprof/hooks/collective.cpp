// Collectives, also over inter-communicators.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/collective.hpp"

#include "libwaitprof/archive/archive.hpp"
#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/hooks/collective_bytes.hpp"
#include "libwaitprof/hooks/light.hpp"
#include "libwaitprof/hooks/nonblocking.hpp"
#include "libwaitprof/hooks/peer_bytes.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/memory/lock.hpp"
#include "libwaitprof/settings/settings.hpp"

namespace waitprof::hooks {

namespace {

bool has_root(CollectiveOp op) noexcept {
  switch (op) {
    case CollectiveOp::Bcast:
    case CollectiveOp::Gather:
    case CollectiveOp::Gatherv:
    case CollectiveOp::Scatter:
    case CollectiveOp::Scatterv:
    case CollectiveOp::Reduce:
      return true;
    default:
      return false;
  }
}

// In an inter-communicator the root's group gives MPI_ROOT or MPI_PROC_NULL, and the other group gives the
// root's rank.
std::int32_t recorded_root(const Communicator& communicator, CollectiveOp op, int root) noexcept {
  if (!has_root(op)) {
    return kNoRoot;
  }
  if (!communicator.remote_members.empty() && root < 0) {
    return root == MPI_ROOT ? kSelfRoot : kGroupRoot;
  }
  return root;
}

// Whether no rank leaves before all have entered, given that there is data for every rank.
bool synchronises(CollectiveOp op) noexcept {
  return op == CollectiveOp::Barrier || op == CollectiveOp::Allreduce || op == CollectiveOp::Allgather ||
         op == CollectiveOp::Alltoall || op == CollectiveOp::ReduceScatterBlock;
}

Place place_in(const Communicator& communicator, CollectiveOp op, int root) noexcept {
  const bool inter = !communicator.remote_members.empty();
  Place place;
  place.local_size = communicator.members.size();
  place.size = inter ? communicator.remote_members.size() : place.local_size;
  place.rank = static_cast<std::uint64_t>(communicator.rank);
  place.is_root = has_root(op) && root == (inter ? MPI_ROOT : communicator.rank);
  place.is_leaf = !inter || root >= 0;
  place.communicator = &communicator;
  return place;
}

}  // namespace

WAITPROF_HOT void Collective::after(RecordedCall& call) const noexcept {
  const std::uint32_t id = communicator_of(comm);
  if (id == kUnknownComm) {
    return call.count_untracked();
  }
  const Communicator& communicator = waitprof::communicator(id);
  const Place place = place_in(communicator, op, root);
  const MovedBytes moved = moved_bytes(*this, place);
  const std::uint32_t peers = peers_of(*this, place, call.thread());
  const std::int32_t recorded = recorded_root(communicator, op, root);
  if (op == CollectiveOp::Reduce)
    call.has_results(place.is_root ? RecordedCall::Results::AllKept : RecordedCall::Results::AllPassedOn);
  if (request == nullptr) {
    call.add_collective_begin();
    call.add_peers(peers);
    call.add_collective_end(op, id, recorded, moved.sent, moved.received);
    return;
  }
  start_and_remember(call, *request, [&](PendingRequest& pending) {
    pending.address = request;
    pending.bytes = moved.sent;
    pending.received = moved.received;
    pending.peer = recorded;
    pending.comm = id;
    pending.persistent = persistent;
    pending.collective = true;
    pending.peers = peers;
    pending.op = op;
  });
}

// WAITPROF_CLOCK_EVERY. Calls are counted that no rank leaves before all have entered, unless several threads
// call MPI: then ranks need not agree on the order. Excerpts count all blocking collectives: they need only
// the same order.
WAITPROF_HOT void Collective::left(const RecordedCall& call) const noexcept {
  static constinit std::uint64_t counted = 0;
  if (settings.clock_every != 0 && comm == MPI_COMM_WORLD && request == nullptr && synchronises(op) &&
      !threads_call_mpi_together && ++counted % static_cast<unsigned>(settings.clock_every) == 0) {
    archive::compare_clocks(call.thread(), call.paused());
  }
  if (comm == MPI_COMM_WORLD && request == nullptr) {
    pass_mark(call.thread(), false);
  }
}

}  // namespace waitprof::hooks
