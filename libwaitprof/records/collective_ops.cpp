// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/records/collective_ops.hpp"

#include <iterator>

#include "libwaitprof/buffer/event.hpp"

namespace waitprof::archive {
namespace {

// By CollectiveOp. OTF2 has no operation for MPI_Init and MPI_Finalize: they make and destroy MPI_COMM_WORLD.
constexpr OTF2_CollectiveOp kCollectiveOps[] = {
    OTF2_COLLECTIVE_OP_BARRIER,
    OTF2_COLLECTIVE_OP_BCAST,
    OTF2_COLLECTIVE_OP_GATHER,
    OTF2_COLLECTIVE_OP_GATHERV,
    OTF2_COLLECTIVE_OP_SCATTER,
    OTF2_COLLECTIVE_OP_SCATTERV,
    OTF2_COLLECTIVE_OP_ALLGATHER,
    OTF2_COLLECTIVE_OP_ALLGATHERV,
    OTF2_COLLECTIVE_OP_ALLTOALL,
    OTF2_COLLECTIVE_OP_ALLTOALLV,
    OTF2_COLLECTIVE_OP_ALLTOALLW,
    OTF2_COLLECTIVE_OP_ALLREDUCE,
    OTF2_COLLECTIVE_OP_REDUCE,
    OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
    OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
    OTF2_COLLECTIVE_OP_SCAN,
    OTF2_COLLECTIVE_OP_EXSCAN,
    // Neighbourhood collectives: OTF2 has none, an attribute says so.
    OTF2_COLLECTIVE_OP_ALLGATHER,
    OTF2_COLLECTIVE_OP_ALLGATHERV,
    OTF2_COLLECTIVE_OP_ALLTOALL,
    OTF2_COLLECTIVE_OP_ALLTOALLV,
    OTF2_COLLECTIVE_OP_ALLTOALLW,
    OTF2_COLLECTIVE_OP_CREATE_HANDLE,
    OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
    OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE,
    OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE,
    OTF2_COLLECTIVE_OP_CREATE_HANDLE,
    OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
};
static_assert(std::size(kCollectiveOps) == static_cast<std::size_t>(CollectiveOp::Finalize) + 1);

}  // namespace

OTF2_CollectiveOp collective_op(std::uint32_t op) noexcept {
  return kCollectiveOps[op < std::size(kCollectiveOps) ? op : 0];
}

std::uint32_t root_ref(std::int32_t root) noexcept {
  switch (root) {
    case kNoRoot:
      return OTF2_COLLECTIVE_ROOT_NONE;
    case kSelfRoot:
      return OTF2_COLLECTIVE_ROOT_SELF;
    case kGroupRoot:
      return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    default:
      return static_cast<std::uint32_t>(root);
  }
}

}  // namespace waitprof::archive
