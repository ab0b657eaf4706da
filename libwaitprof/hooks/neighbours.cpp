// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/neighbours.hpp"

#include <mpi.h>

namespace waitprof::hooks {

NeighbourList::NeighbourList(const Communicator& communicator, bool sources) noexcept
    : communicator_(communicator) {
  const auto number = [](int value) { return static_cast<std::uint32_t>(value); };
  switch (communicator.topology) {
    case TopologyKind::None:
      break;
    case TopologyKind::Cartesian:
      count_ = 2 * number(static_cast<int>(communicator.dims.size()));
      break;
    case TopologyKind::Graph: {
      const auto me = static_cast<std::size_t>(communicator.rank);
      const std::uint32_t nodes = number(communicator.dims[0]);
      const std::uint32_t before = me > 0 ? number(communicator.edges[me - 1]) : 0;
      first_ = nodes + before;
      count_ = number(communicator.edges[me]) - before;
      break;
    }
    case TopologyKind::DistributedGraph:
      first_ = sources ? 0 : number(communicator.dims[0]);
      count_ = number(communicator.dims[sources ? 0 : 1]);
      break;
  }
}

int NeighbourList::rank(std::uint32_t i) const noexcept {
  if (communicator_.topology == TopologyKind::Cartesian) {
    return grid_neighbour(i / 2, i % 2 == 0 ? -1 : 1);
  }
  return communicator_.edges[first_ + i];
}

// MPI numbers the ranks of a grid row by row (MPI 4.0, 8.2).
int NeighbourList::grid_neighbour(std::uint32_t dimension, int step) const noexcept {
  const int size = communicator_.dims[dimension];
  int stride = 1;
  for (std::size_t d = dimension + 1; d < communicator_.dims.size(); ++d) {
    stride *= communicator_.dims[d];
  }
  const int here = communicator_.coords[dimension];
  const int there = here + step;
  if (there >= 0 && there < size) {
    return communicator_.rank + step * stride;
  }
  const int around = (there + size) % size;
  return communicator_.periods[dimension] != 0 ? communicator_.rank + (around - here) * stride
                                               : MPI_PROC_NULL;
}

}  // namespace waitprof::hooks
