// The algorithms of MPICH's collectives as messages (Thakur, Rabenseifner, Gropp 2005; MPICH's sources use
// the same names). Costs by the alpha-beta model follow each: p members, n bytes, a = latency, b = time per
// byte, g = time to combine a byte.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/simulation/replay/schedule.hpp"

namespace waitdiag {

// Members that take part, as numbered in the communicator; `root` is a place in it.
using Group = std::span<const std::uint32_t>;

void dissemination(Rounds& out, Group group);  // ceil(lg p) a

void binomial_bcast(Rounds& out, Group group, std::size_t root,
                    std::uint64_t bytes);  // ceil(lg p)(a+nb)
// SMPI's: by way of the group's first member; the part that comes back to the root is sent as well.
void binomial_bcast_from_first(Rounds& out, Group group, std::size_t root, std::uint64_t bytes);
void binomial_reduce(Rounds& out, Group group, std::size_t root, std::uint64_t bytes);
// `blocks`: bytes of each member, by place in the group.
void binomial_gather(Rounds& out, Group group, std::size_t root, std::span<const std::uint64_t> blocks);
void binomial_scatter(Rounds& out, Group group, std::size_t root, std::span<const std::uint64_t> blocks);
// The same tree, but every member sends to its smallest subtree first.
void binomial_scatter_smallest_first(Rounds& out, Group group, std::size_t root,
                                     std::span<const std::uint64_t> blocks);
void linear_gather(Rounds& out, Group group, std::size_t root, std::span<const std::uint64_t> blocks);
void linear_scatter(Rounds& out, Group group, std::size_t root, std::span<const std::uint64_t> blocks);
void linear_reduce(Rounds& out, Group group, std::size_t root, std::uint64_t bytes);
// Every member sends the others its own block (or all of its data), at once: (p-1) a + n b.
void linear_allgather(Rounds& out, Group group, std::span<const std::uint64_t> blocks);
void linear_allreduce(Rounds& out, Group group, std::uint64_t bytes);
void linear_reduce_scatter(Rounds& out, Group group, std::uint64_t bytes);

// Starting at `root`'s block, as after a binomial scatter.
void ring_allgather(Rounds& out, Group group, std::size_t root, std::span<const std::uint64_t> blocks);
// p a power of two; otherwise bruck_allgather.
void recursive_doubling_allgather(Rounds& out, Group group, std::size_t root,
                                  std::span<const std::uint64_t> blocks);
void bruck_allgather(Rounds& out, Group group, std::span<const std::uint64_t> blocks);

// Each member sends its own block to all others, one after the other: (p-1) a + n(p-1)/p b.
void pairwise_allgather(Rounds& out, Group group, std::span<const std::uint64_t> blocks);

void recursive_doubling_allreduce(Rounds& out, Group group,
                                  std::uint64_t bytes);  // lg p (a + nb + ng)
// Rabenseifner: 2 lg p a + 2n(p-1)/p b + n(p-1)/p g.
void reduce_scatter_allgather(Rounds& out, Group group, std::uint64_t bytes);
void reduce_scatter_gather(Rounds& out, Group group, std::size_t root, std::uint64_t bytes);
void recursive_halving_reduce_scatter(Rounds& out, Group group, std::uint64_t bytes);
// Everything except the blocks of members that already have the same: lg p a + n(lg p-(p-1)/p)(b + g).
void recursive_doubling_reduce_scatter(Rounds& out, Group group, std::uint64_t bytes);
void pairwise_reduce_scatter(Rounds& out, Group group, std::uint64_t bytes);
void recursive_doubling_scan(Rounds& out, Group group, std::uint64_t bytes);
// Each member sends its data to all higher ones at once.
void linear_scan(Rounds& out, Group group, std::uint64_t bytes);

// `block`: bytes from each member to each.
void bruck_alltoall(Rounds& out, Group group, std::uint64_t block);
void ring_alltoall(Rounds& out, Group group, std::uint64_t block);
void pairwise_alltoall(Rounds& out, Group group, std::uint64_t block);
void scattered_alltoall(Rounds& out, Group group, std::uint64_t block, std::uint32_t throttle);

}  // namespace waitdiag
