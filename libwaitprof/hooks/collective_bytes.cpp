// Bytes of every collective.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/collective_bytes.hpp"

#include "libwaitprof/hooks/neighbours.hpp"
#include "libwaitprof/memory/hot.hpp"
#include "libwaitprof/mpi/mpi_library.hpp"

namespace waitprof::hooks {

namespace {

using Bytes = std::uint64_t;

Bytes sent_block(const Collective& c) noexcept {
  return bytes_of(c.sendcount, c.sendtype);
}
Bytes received_block(const Collective& c) noexcept {
  return bytes_of(c.recvcount, c.recvtype);
}

Bytes total(const Counts& counts, MPI_Datatype type, std::uint64_t ranks) noexcept {
  MPI_Count sum = 0;
  for (std::uint64_t i = 0; i < ranks; ++i) {
    sum += counts[i];
  }
  return bytes_of(sum, type);
}

Bytes total(const Counts& counts, const MPI_Datatype* types, std::uint64_t ranks) noexcept {
  Bytes sum = 0;
  for (std::uint64_t i = 0; i < ranks; ++i) {
    sum += bytes_of(counts[i], types[i]);
  }
  return sum;
}

// Alltoallv with one type for all, Alltoallw with one for each rank.
Bytes total_received(const Collective& c, std::uint64_t ranks) noexcept {
  return c.recvtypes != nullptr ? total(c.recvcounts, c.recvtypes, ranks)
                                : total(c.recvcounts, c.recvtype, ranks);
}
Bytes total_sent(const Collective& c, std::uint64_t ranks) noexcept {
  return c.sendtypes != nullptr ? total(c.sendcounts, c.sendtypes, ranks)
                                : total(c.sendcounts, c.sendtype, ranks);
}
Bytes own_received(const Collective& c, std::uint64_t rank) noexcept {
  return bytes_of(c.recvcounts[rank], c.recvtypes != nullptr ? c.recvtypes[rank] : c.recvtype);
}

MovedBytes gather(const Collective& c, const Place& place, bool in_place) noexcept {
  MovedBytes bytes{place.is_leaf && !in_place ? sent_block(c) : 0, 0};
  if (place.is_root && c.recvcounts.given()) {
    bytes.received = total_received(c, place.size) - (in_place ? own_received(c, place.rank) : 0);
  } else if (place.is_root) {
    bytes.received = (place.size - (in_place ? 1 : 0)) * received_block(c);
  }
  return bytes;
}

MovedBytes scatter(const Collective& c, const Place& place, bool in_place) noexcept {
  MovedBytes bytes{0, place.is_leaf && !in_place ? received_block(c) : 0};
  if (place.is_root && c.sendcounts.given()) {
    bytes.sent = total_sent(c, place.size) - (in_place ? bytes_of(c.sendcounts[place.rank], c.sendtype) : 0);
  } else if (place.is_root) {
    bytes.sent = (place.size - (in_place ? 1 : 0)) * sent_block(c);
  }
  return bytes;
}

MovedBytes allgatherv(const Collective& c, const Place& place, bool in_place) noexcept {
  const Bytes received = total_received(c, place.size);
  if (!in_place) {
    return {place.size * sent_block(c), received};
  }
  const Bytes own = own_received(c, place.rank);
  return {(place.size - 1) * own, received - own};
}

MovedBytes alltoallv(const Collective& c, const Place& place, bool in_place) noexcept {
  const Bytes received = total_received(c, place.size);
  if (!in_place) {
    return {total_sent(c, place.size), received};
  }
  const Bytes others = received - own_received(c, place.rank);
  return {others, others};
}

MovedBytes reduce_scatter(const Collective& c, const Place& place, bool in_place) noexcept {
  const Bytes own = own_received(c, place.rank);
  const Bytes all = total_received(c, place.local_size);  // inter-communicators: counts over the local group
  return in_place ? MovedBytes{all - own, (place.size - 1) * own} : MovedBytes{all, place.size * own};
}

// Missing neighbours (MPI_PROC_NULL) have their places in the arrays of counts, but move nothing.
template <class BlockOf>
Bytes to_or_from(const NeighbourList& neighbours, BlockOf block_of) noexcept {
  Bytes sum = 0;
  for (std::uint32_t i = 0; i < neighbours.count(); ++i) {
    sum += neighbours.rank(i) != MPI_PROC_NULL ? block_of(i) : 0;
  }
  return sum;
}

MovedBytes neighbourhood(const Collective& c, const Communicator& communicator) noexcept {
  return {to_or_from(destinations(communicator), [&c](std::uint32_t i) { return bytes_to(c, i); }),
          to_or_from(sources(communicator), [&c](std::uint32_t i) { return bytes_from(c, i); })};
}

}  // namespace

std::uint64_t bytes_to(const Collective& c, std::uint32_t i) noexcept {
  if (c.buffer == MPI_IN_PLACE) {
    return bytes_from(c, i);
  }
  return c.sendcounts.given()
             ? bytes_of(c.sendcounts[i], c.sendtypes != nullptr ? c.sendtypes[i] : c.sendtype)
             : sent_block(c);
}

std::uint64_t bytes_from(const Collective& c, std::uint32_t i) noexcept {
  return c.recvcounts.given()
             ? bytes_of(c.recvcounts[i], c.recvtypes != nullptr ? c.recvtypes[i] : c.recvtype)
             : received_block(c);
}

WAITPROF_HOT MovedBytes moved_bytes(const Collective& c, const Place& place) noexcept {
  const bool in_place = c.buffer == MPI_IN_PLACE;
  const std::uint64_t self = in_place ? 1 : 0;  // blocks that need not move
  switch (c.op) {
    case CollectiveOp::Bcast: {
      const Bytes block = place.is_root || place.is_leaf ? sent_block(c) : 0;
      return {place.is_root ? place.size * block : 0, place.is_leaf ? block : 0};
    }
    case CollectiveOp::Gather:
    case CollectiveOp::Gatherv:
      return gather(c, place, in_place);
    case CollectiveOp::Scatter:
    case CollectiveOp::Scatterv:
      return scatter(c, place, in_place);
    case CollectiveOp::Reduce:
      return {place.is_leaf && !in_place ? sent_block(c) : 0,
              place.is_root ? (place.size - self) * sent_block(c) : 0};
    case CollectiveOp::Allgather:
    case CollectiveOp::Alltoall: {
      const Bytes received = (place.size - self) * received_block(c);
      return {in_place ? received : place.size * sent_block(c), received};
    }
    case CollectiveOp::Allgatherv:
      return allgatherv(c, place, in_place);
    case CollectiveOp::Alltoallv:
    case CollectiveOp::Alltoallw:
      return alltoallv(c, place, in_place);
    case CollectiveOp::Allreduce:
      return {(place.size - self) * sent_block(c), (place.size - self) * sent_block(c)};
    case CollectiveOp::ReduceScatter:
      return reduce_scatter(c, place, in_place);
    case CollectiveOp::ReduceScatterBlock:
      return {(place.local_size - self) * received_block(c), (place.size - self) * received_block(c)};
    case CollectiveOp::Scan:
      return {(place.size - place.rank - self) * sent_block(c), (place.rank + 1 - self) * sent_block(c)};
    case CollectiveOp::Exscan:
      return {(place.size - place.rank - 1) * sent_block(c), place.rank * sent_block(c)};
    case CollectiveOp::NeighborAllgather:
    case CollectiveOp::NeighborAllgatherv:
    case CollectiveOp::NeighborAlltoall:
    case CollectiveOp::NeighborAlltoallv:
    case CollectiveOp::NeighborAlltoallw:
      return place.communicator != nullptr ? neighbourhood(c, *place.communicator) : MovedBytes{};
    default:
      return {};  // Barrier, and the operations that move no data of the application
  }
}

}  // namespace waitprof::hooks
