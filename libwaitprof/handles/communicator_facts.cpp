// Asks MPI about a communicator; all of these are local operations.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/handles/communicator_facts.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/kept_arrays.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/memory/memory.hpp"

namespace waitprof {

namespace {

// All arrays of all communicators; most have some in common.
constinit KeptArrays<int> arrays{std::size_t{1} << 22, RecordKind::None};

// Keeps a copy of the numbers for ever; nullopt: no room.
std::optional<std::span<const int>> keep(std::span<const int> numbers) noexcept {
  const std::uint32_t id = arrays.id(
      numbers, [](int number) { return static_cast<std::uint64_t>(static_cast<unsigned>(number)); });
  return id != 0 ? std::optional(arrays[id]) : std::nullopt;
}

// World ranks of a group, kept for ever; frees the group. Empty: no room.
std::span<const int> world_ranks(MPI_Group group, std::span<const int> known) noexcept {
  const std::span<const int> ranks = world_ranks_of(group);
  pmpi::Group_free(&group);
  const bool same = std::equal(ranks.begin(), ranks.end(), known.begin(), known.end());
  return same ? known : keep(ranks).value_or(std::span<const int>{});
}

// The thread's scratch memory for that many numbers; empty if there is no room.
std::span<int> scratch_numbers(int count) noexcept {
  const auto numbers = static_cast<std::size_t>(count);
  void* const memory = count > 0 ? scratch_memory(this_thread, numbers * sizeof(int)) : nullptr;
  return {static_cast<int*>(memory), memory != nullptr ? numbers : 0};
}

// Fills in the topology; false: no room.
bool ask_cartesian(MPI_Comm handle, Communicator& communicator) noexcept {
  int count = 0;
  pmpi::Cartdim_get(handle, &count);
  const std::span<int> all = scratch_numbers(3 * count);
  if (all.empty()) {
    return count == 0;
  }
  const std::size_t each = all.size() / 3;
  pmpi::Cart_get(handle, count, all.data(), all.data() + each, all.data() + 2 * each);
  const auto dims = keep(all.first(each)), periods = keep(all.subspan(each, each)),
             coords = keep(all.last(each));
  if (!dims || !periods || !coords) {
    return false;
  }
  communicator.topology = TopologyKind::Cartesian;
  communicator.dims = *dims;
  communicator.periods = *periods;
  communicator.coords = *coords;
  return true;
}

bool take_graph(Communicator& communicator, TopologyKind kind, const std::array<int, 2>& dims,
                std::span<const int> edges) noexcept {
  const auto kept_dims = keep(dims), kept_edges = keep(edges);
  if (!kept_dims || !kept_edges) {
    return false;
  }
  communicator.topology = kind;
  communicator.dims = *kept_dims;
  communicator.edges = *kept_edges;
  return true;
}

bool ask_graph(MPI_Comm handle, Communicator& communicator) noexcept {
  int nodes = 0;
  int edges = 0;
  pmpi::Graphdims_get(handle, &nodes, &edges);
  const std::span<int> all = scratch_numbers(nodes + edges);
  if (all.empty()) {
    return false;
  }
  pmpi::Graph_get(handle, nodes, edges, all.data(), all.data() + nodes);
  return take_graph(communicator, TopologyKind::Graph, {nodes, edges}, all);
}

bool ask_distributed_graph(MPI_Comm handle, Communicator& communicator) noexcept {
  int in = 0;
  int out = 0;
  int weighted = 0;
  pmpi::Dist_graph_neighbors_count(handle, &in, &out, &weighted);
  const auto count = static_cast<std::size_t>(in + out);
  const std::span<int> all = scratch_numbers(2 * (in + out));  // then the weights
  if (all.size() != 2 * count) {
    return false;
  }
  int* const weights = all.data() + count;
  pmpi::Dist_graph_neighbors(handle, in, all.data(), weights, out, all.data() + in, weights + in);
  return take_graph(communicator, TopologyKind::DistributedGraph, {in, out}, all.first(count));
}

bool ask_topology(MPI_Comm handle, Communicator& communicator) noexcept {
  switch (topology_of(handle)) {
    case MPI_CART:
      return ask_cartesian(handle, communicator);
    case MPI_GRAPH:
      return ask_graph(handle, communicator);
    case MPI_DIST_GRAPH:
      return ask_distributed_graph(handle, communicator);
    default:
      return true;
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
  const auto size = static_cast<std::size_t>(world.size);
  int* const first = allocate_array_forever<int>(size);
  if (first == nullptr) {
    return false;
  }
  const std::span<int> ranks(first, size);
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
    if (communicator.remote_members.empty()) {
      communicator.members = {};
    }
    return all_in_world(communicator.members) && all_in_world(communicator.remote_members);
  }
  if (topology && !ask_topology(handle, communicator)) {
    communicator.members = {};
  }
  return all_in_world(communicator.members);
}

}  // namespace waitprof
