// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/read/collective_ops.hpp"

#include <algorithm>
#include <iterator>

namespace waitdiag {
namespace {

using enum CollectiveKind;
// In the order of OTF2_CollectiveOp; allocations of windows are the creation of a handle here.
constexpr CollectiveKind kKinds[] = {Barrier,
                                     Bcast,
                                     Gather,
                                     Gatherv,
                                     Scatter,
                                     Scatterv,
                                     Allgather,
                                     Allgatherv,
                                     Alltoall,
                                     Alltoallv,
                                     Alltoallw,
                                     Allreduce,
                                     Reduce,
                                     ReduceScatter,
                                     Scan,
                                     Exscan,
                                     ReduceScatterBlock,
                                     CreateHandle,
                                     DestroyHandle,
                                     Other,
                                     Other,
                                     CreateHandle,
                                     DestroyHandle};

}  // namespace

CollectiveKind collective_kind(OTF2_CollectiveOp op) {
  return op < std::size(kKinds) ? kKinds[op] : Other;
}

OTF2_CollectiveOp collective_op(CollectiveKind kind) {
  const auto* const found = std::ranges::find(kKinds, kind == Neighbourhood ? Alltoallw : kind);
  const auto* const known = found != std::end(kKinds) ? found : std::ranges::find(kKinds, Other);
  return static_cast<OTF2_CollectiveOp>(known - std::begin(kKinds));
}

}  // namespace waitdiag
