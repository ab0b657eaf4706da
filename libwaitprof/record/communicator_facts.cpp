// Questions about a communicator to MPI; all of them are local operations.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/record/communicator_facts.hpp"

#include <algorithm>
#include <numeric>

#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/record/memory.hpp"
#include "libwaitprof/record/recorder.hpp"

namespace waitprof {

namespace {

// An int array for ever; empty if there is no memory or nothing to keep.
std::span<int> new_array(int count) noexcept {
  int* array = count > 0 ? allocate_array_forever<int>(static_cast<std::size_t>(count)) : nullptr;
  return {array, array != nullptr ? static_cast<std::size_t>(count) : 0};
}

// World ranks of a group, kept for ever; frees the group. Empty: no memory.
std::span<const int> world_ranks(MPI_Group group, std::span<const int> known) noexcept {
  const std::span<const int> ranks = world_ranks_of(group);
  pmpi::Group_free(&group);
  if (std::equal(ranks.begin(), ranks.end(), known.begin(), known.end())) {
    return known;
  }
  const std::span<int> kept = new_array(static_cast<int>(ranks.size()));
  std::copy_n(ranks.begin(), kept.size(), kept.begin());
  return kept;
}

void ask_cartesian(MPI_Comm handle, Communicator& communicator) noexcept {
  int count = 0;
  pmpi::Cartdim_get(handle, &count);
  const std::span<int> dims = new_array(count);
  const std::span<int> periods = new_array(count);
  const std::span<int> coords = new_array(count);
  if (coords.size() == dims.size() && periods.size() == dims.size() && !dims.empty()) {
    pmpi::Cart_get(handle, count, dims.data(), periods.data(), coords.data());
    communicator.topology = TopologyKind::Cartesian;
    communicator.dims = dims;
    communicator.periods = periods;
    communicator.coords = coords;
  }
}

void ask_graph(MPI_Comm handle, Communicator& communicator) noexcept {
  int nodes = 0;
  int edges = 0;
  pmpi::Graphdims_get(handle, &nodes, &edges);
  const std::span<int> dims = new_array(2);
  const std::span<int> all = new_array(nodes + edges);
  if (!dims.empty() && !all.empty()) {
    pmpi::Graph_get(handle, nodes, edges, all.data(), all.data() + nodes);
    dims[0] = nodes;
    dims[1] = edges;
    communicator.topology = TopologyKind::Graph;
    communicator.dims = dims;
    communicator.edges = all;
  }
}

void ask_distributed_graph(MPI_Comm handle, Communicator& communicator) noexcept {
  int in = 0;
  int out = 0;
  int weighted = 0;
  pmpi::Dist_graph_neighbors_count(handle, &in, &out, &weighted);
  auto* weights =
      static_cast<int*>(scratch_memory(this_thread, static_cast<std::size_t>(in + out) * sizeof(int)));
  const std::span<int> dims = new_array(2);
  const std::span<int> all = new_array(in + out);
  if (!dims.empty() && (in + out == 0 || (!all.empty() && weights != nullptr))) {
    pmpi::Dist_graph_neighbors(handle, in, all.data(), weights, out, all.data() + in, weights + in);
    dims[0] = in;
    dims[1] = out;
    communicator.topology = TopologyKind::DistributedGraph;
    communicator.dims = dims;
    communicator.edges = all;
  }
}

void ask_topology(MPI_Comm handle, Communicator& communicator) noexcept {
  const int kind = topology_of(handle);
  if (kind == MPI_CART) {
    ask_cartesian(handle, communicator);
  } else if (kind == MPI_GRAPH) {
    ask_graph(handle, communicator);
  } else if (kind == MPI_DIST_GRAPH) {
    ask_distributed_graph(handle, communicator);
  }
}

}  // namespace

WorldGroup::WorldGroup() noexcept {
  if (!world.alone) {
    pmpi::Comm_group(MPI_COMM_WORLD, &group_);
  } else {
    begin_session(session_, group_);
  }
}

WorldGroup::~WorldGroup() {
  if (group_ != MPI_GROUP_NULL) {
    pmpi::Group_free(&group_);
  }
  if (session_ != kNoSession) {
    end_session(session_);
  }
}

std::span<const int> world_ranks_of(MPI_Group group) noexcept {
  int size = 0;
  pmpi::Group_size(group, &size);
  const auto bytes = static_cast<std::size_t>(size) * sizeof(int);
  auto* scratch = static_cast<int*>(scratch_memory(this_thread, 2 * bytes));
  if (scratch == nullptr) {
    return {};
  }
  int* world_rank = scratch + size;
  std::iota(scratch, world_rank, 0);
  const WorldGroup all;
  if (all.get() == MPI_GROUP_NULL ||
      pmpi::Group_translate_ranks(group, size, scratch, all.get(), world_rank) != MPI_SUCCESS) {
    return {};
  }
  std::replace(world_rank, world_rank + size, MPI_UNDEFINED, -1);
  return {world_rank, static_cast<std::size_t>(size)};
}

bool describe_predefined(Communicator& all, Communicator& self) noexcept {
  const std::span<int> ranks = new_array(world.size);
  if (ranks.empty()) {
    return false;
  }
  std::iota(ranks.begin(), ranks.end(), 0);
  all.members = ranks;
  all.rank = world.rank;
  self.members = all.members.subspan(static_cast<std::size_t>(world.rank), 1);
  return true;
}

namespace {

bool all_in_world(std::span<const int> members) noexcept {
  return !members.empty() && std::find(members.begin(), members.end(), -1) == members.end();
}

}  // namespace

bool ask_mpi_about(MPI_Comm handle, const Communicator* parent, Communicator& communicator,
                   bool topology) noexcept {
  MPI_Group group = MPI_GROUP_NULL;
  pmpi::Comm_group(handle, &group);
  communicator.members = world_ranks(group, parent != nullptr ? parent->members : std::span<const int>{});
  pmpi::Comm_rank(handle, &communicator.rank);
  int inter = 0;
  pmpi::Comm_test_inter(handle, &inter);
  if (inter != 0) {
    pmpi::Comm_remote_group(handle, &group);
    communicator.remote_members = world_ranks(group, {});
    return all_in_world(communicator.members) && all_in_world(communicator.remote_members);
  }
  if (topology) {
    ask_topology(handle, communicator);
  }
  return all_in_world(communicator.members);
}

}  // namespace waitprof
