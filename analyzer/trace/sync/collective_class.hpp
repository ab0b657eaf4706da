// The classes of collective operations; rules.hpp says who waits for whom in each.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/model/definitions.hpp"
#include "analyzer/trace/model/timeline.hpp"
#include "analyzer/trace/sync/rules.hpp"

namespace waitdiag {

constexpr CallKind class_of(CollectiveKind kind) {
  using enum CollectiveKind;
  switch (kind) {
    case Barrier:
      return CallKind::Barrier;
    case Bcast:
    case Scatter:
    case Scatterv:
      return CallKind::OneToAll;
    case Reduce:
    case Gather:
    case Gatherv:
      return CallKind::AllToOne;
    case Allgather:
    case Allgatherv:
    case Alltoall:
    case Allreduce:
    case ReduceScatter:
    case ReduceScatterBlock:
      return CallKind::AllToAll;
    case Alltoallv:
    case Alltoallw:
      return CallKind::AllToAllVariable;
    case Neighbourhood:
      return CallKind::Neighbourhood;
    case Scan:
    case Exscan:
      return CallKind::Scan;
    case Fence:
      return CallKind::WinFence;
    case WinCreate:
    case WinFree:
      return CallKind::WinCollective;
    case CreateHandle:
      return CallKind::CommConstruct;
    case FileCall:
      return CallKind::FileCall;
    case Init:
      return CallKind::Init;
    case Finalize:
      return CallKind::Finalize;
    case ThreadBarrier:
      return CallKind::ThreadBarrier;
    default:
      return CallKind::OtherMpi;
  }
}

// What the rules say about a class of operations.
constexpr bool moves_no_data(CallKind kind) {
  return !rule_of(kind).moves_data;
}
constexpr bool is_by_peers(CallKind kind) {
  return rule_of(kind).waits_for == WaitsFor::Peers;
}
constexpr bool is_rooted(CallKind kind) {
  const WaitsFor waits_for = rule_of(kind).waits_for;
  return waits_for == WaitsFor::Root || waits_for == WaitsFor::AtRoot;
}

}  // namespace waitdiag
