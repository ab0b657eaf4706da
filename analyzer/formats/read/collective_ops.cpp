// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/read/collective_ops.hpp"

#include <algorithm>
#include <array>

namespace waitdiag {
namespace {

// In the order of OTF2_CollectiveOp; allocations of windows are the creation of a handle here.
constexpr auto kKinds = [] {
  using enum CollectiveKind;
  return std::array{Barrier,
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
}();

}  // namespace

CollectiveKind collective_kind(OTF2_CollectiveOp op) {
  return op < kKinds.size() ? kKinds[op] : CollectiveKind::Other;
}

OTF2_CollectiveOp collective_op(CollectiveKind kind) {
  if (kind == CollectiveKind::Neighbourhood) kind = CollectiveKind::Alltoallw;
  if (kind == CollectiveKind::FileCall) kind = CollectiveKind::Barrier;
  const auto found = std::ranges::find(kKinds, kind);
  const auto known = found != kKinds.end() ? found : std::ranges::find(kKinds, CollectiveKind::Other);
  return static_cast<OTF2_CollectiveOp>(known - kKinds.begin());
}

}  // namespace waitdiag
