// The classes of collective operations: who needs data of whom.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/model/definitions.hpp"
#include "analyzer/trace/model/timeline.hpp"

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

// Everybody waits for everybody, data or not.
constexpr bool moves_no_data(CallKind kind) {
  return kind == CallKind::Barrier || kind == CallKind::WinFence || kind == CallKind::WinCollective ||
         kind == CallKind::CommConstruct || kind == CallKind::FileCall || kind == CallKind::Init ||
         kind == CallKind::Finalize || kind == CallKind::ThreadBarrier;
}

// Who needs data of whom is known from lists of peers only.
constexpr bool is_by_peers(CallKind kind) {
  return kind == CallKind::AllToAllVariable || kind == CallKind::Neighbourhood;
}

constexpr bool is_rooted(CallKind kind) {
  return kind == CallKind::OneToAll || kind == CallKind::AllToOne;
}

// Can nobody leave before the last one has come?
constexpr bool everybody_waits(CallKind kind) {
  return !is_rooted(kind) && !is_by_peers(kind) && kind != CallKind::Scan;
}

// Does data flow from (to) a participant? Zero bytes count as data: the call itself is what synchronises.
constexpr bool tells(CallKind kind, bool is_root) {
  if (kind == CallKind::OneToAll) return is_root;
  return kind != CallKind::AllToOne || !is_root;
}
constexpr bool learns(CallKind kind, bool is_root) {
  if (kind == CallKind::OneToAll) return !is_root;
  return kind != CallKind::AllToOne || is_root;
}

}  // namespace waitdiag
