// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/calls_and_messages.hpp"

#include <bit>

namespace waitdiag {
namespace {

// How many messages one member sends: to each of the others, or along a tree.
std::uint64_t messages_of_member(CollectiveKind kind, std::uint64_t members) {
  using enum CollectiveKind;
  switch (kind) {
    case Allgather:
    case Allgatherv:
    case Alltoall:
    case Alltoallv:
    case Alltoallw:
    case ReduceScatter:
    case ReduceScatterBlock:
    case CreateHandle:
      return members;
    default:
      return static_cast<std::uint64_t>(std::bit_width(members));
  }
}

}  // namespace

std::uint64_t calls_and_messages(const Trace& trace) {
  std::uint64_t work = 0;
  for (const Timeline& timeline : trace.timelines()) {
    work += timeline.size();
    for (const CollectivePart& part : timeline.collectives())
      work += messages_of_member(part.kind, trace.communicator(part.comm).members.size());
  }
  return work;
}

}  // namespace waitdiag
