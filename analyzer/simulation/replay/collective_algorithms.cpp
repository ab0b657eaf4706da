// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/collective_algorithms.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace waitdiag {
namespace {

// Places relative to the root, as trees are built.
class Relative {
 public:
  Relative(Group group, std::size_t root) : group_(group), root_(root) {}
  std::size_t size() const { return group_.size(); }
  std::size_t place(std::size_t relative) const {
    const std::size_t place = relative + root_;
    return place < group_.size() ? place : place % group_.size();
  }
  std::uint32_t operator[](std::size_t relative) const { return group_[place(relative)]; }
  // Bytes of the blocks of `count` members from `first` on, as far as these exist.
  std::uint64_t bytes(std::span<const std::uint64_t> blocks, std::size_t first, std::size_t count) const {
    std::uint64_t sum = 0;
    for (std::size_t i = first; i < std::min(first + count, size()); ++i) sum += blocks[place(i)];
    return sum;
  }

 private:
  Group group_;
  std::size_t root_;
};

// Members beyond the largest power of two hand their data to a neighbour and may get the result back (MPICH's
// fold): of the first 2 * rest, those at even or at odd places stay.
class FoldedGroup {
 public:
  enum class Stays : std::uint8_t { Even, Odd };
  explicit FoldedGroup(Group group, Stays stays = Stays::Odd)
      : group_(group), core_(std::bit_floor(group.size())), odd_(stays == Stays::Odd ? 1 : 0) {}
  std::size_t core() const { return core_; }
  std::uint32_t operator[](std::size_t i) const {
    return i < rest() ? group_[2 * i + odd_] : group_[i + rest()];
  }
  // The place of a member of the group; core() when it does not stay.
  std::size_t place(std::size_t member) const {
    if (member >= 2 * rest()) return member - rest();
    return member % 2 == odd_ ? member / 2 : core_;
  }

  void in(Rounds& out, std::uint64_t bytes) const {
    for (std::size_t i = 0; i < rest(); ++i) {
      out.message(group_[2 * i + 1 - odd_], (*this)[i], bytes);
      out.combine((*this)[i], bytes);
    }
    out.end_round();
  }
  void back(Rounds& out, std::uint64_t bytes) const {
    for (std::size_t i = 0; i < rest(); ++i) out.message((*this)[i], group_[2 * i + 1 - odd_], bytes);
    out.end_round();
  }
  // Every member of the core exchanges `bytes` with the member that differs in one bit.
  void exchange(Rounds& out, std::size_t bit, std::uint64_t bytes, bool combine) const {
    for (std::size_t i = 0; i < core_; ++i) {
      out.message((*this)[i], (*this)[i ^ bit], bytes);
      if (combine) out.combine((*this)[i], bytes);
    }
    out.end_round();
  }
  // Each pair halves what it still has, so that in the end every member has combined its own part.
  void halve(Rounds& out, std::uint64_t bytes) const {
    for (std::size_t bit = 1; bit < core_; bit *= 2) exchange(out, bit, bytes /= 2, true);
  }

 private:
  std::size_t rest() const { return group_.size() - core_; }
  Group group_;
  std::size_t core_, odd_;
};

// In each step every member sends to one further away than before: `bytes(member)`, which the receiver may
// combine.
template <typename Bytes>
void by_distance(Rounds& out, Group group, Bytes bytes, bool combine) {
  const std::size_t p = group.size();
  for (std::size_t step = 1; step < p; ++step) {
    for (std::size_t i = 0; i < p; ++i) {
      const std::uint32_t to = group[(i + step) % p];
      out.message(group[i], to, bytes(i));
      if (combine) out.combine(to, bytes(i));
    }
    out.end_round();
  }
}

// To the next member, to the one behind it, and so on, without waiting for any.
template <typename Bytes>
void all_to_all_at_once(Rounds& out, Group group, Bytes bytes) {
  const std::size_t p = group.size();
  for (std::size_t step = 1; step < p; ++step)
    for (std::size_t i = 0; i < p; ++i) out.message(group[i], group[(i + step) % p], bytes(i));
}

}  // namespace

void dissemination(Rounds& out, Group group) {
  for (std::size_t distance = 1; distance < group.size(); distance *= 2) {
    for (std::size_t i = 0; i < group.size(); ++i)
      out.message(group[i], group[(i + distance) % group.size()], 0);
    out.end_round();
  }
}

void binomial_bcast(Rounds& out, Group group, std::size_t root, std::uint64_t bytes) {
  const Relative at(group, root);
  for (std::size_t bit = std::bit_ceil(at.size()) / 2; bit > 0; bit /= 2) {
    for (std::size_t i = 0; i + bit < at.size(); i += 2 * bit) out.message(at[i], at[i + bit], bytes);
    out.end_round();
  }
}

void binomial_bcast_from_first(Rounds& out, Group group, std::size_t root, std::uint64_t bytes) {
  out.message(group[root], group[0], bytes);
  out.end_round();
  binomial_bcast(out, group, 0, bytes);
}

void binomial_reduce(Rounds& out, Group group, std::size_t root, std::uint64_t bytes) {
  const Relative at(group, root);
  for (std::size_t bit = 1; bit < at.size(); bit *= 2) {
    for (std::size_t i = 0; i + bit < at.size(); i += 2 * bit) {
      out.message(at[i + bit], at[i], bytes);
      out.combine(at[i], bytes);
    }
    out.end_round();
  }
}

void binomial_gather(Rounds& out, Group group, std::size_t root, std::span<const std::uint64_t> blocks) {
  const Relative at(group, root);
  for (std::size_t bit = 1; bit < at.size(); bit *= 2) {
    for (std::size_t i = 0; i + bit < at.size(); i += 2 * bit)
      out.message(at[i + bit], at[i], at.bytes(blocks, i + bit, bit));
    out.end_round();
  }
}

void binomial_scatter(Rounds& out, Group group, std::size_t root, std::span<const std::uint64_t> blocks) {
  const Relative at(group, root);
  for (std::size_t bit = std::bit_ceil(at.size()) / 2; bit > 0; bit /= 2) {
    for (std::size_t i = 0; i + bit < at.size(); i += 2 * bit)
      out.message(at[i], at[i + bit], at.bytes(blocks, i + bit, bit));
    out.end_round();
  }
}

void binomial_scatter_smallest_first(Rounds& out, Group group, std::size_t root,
                                     std::span<const std::uint64_t> blocks) {
  const Relative at(group, root);
  // A member's parent has a lower number, so that its receive comes before its sends.
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t bit = 1; i + bit < at.size() && (i & bit) == 0; bit *= 2) {
      out.message(at[i], at[i + bit], at.bytes(blocks, i + bit, bit));
      out.end_round();
    }
}

void linear_gather(Rounds& out, Group group, std::size_t root, std::span<const std::uint64_t> blocks) {
  for (std::size_t i = 0; i < group.size(); ++i) out.message(group[i], group[root], blocks[i]);
  out.end_round();
}

void linear_scatter(Rounds& out, Group group, std::size_t root, std::span<const std::uint64_t> blocks) {
  for (std::size_t i = 0; i < group.size(); ++i) out.message(group[root], group[i], blocks[i]);
  out.end_round();
}

void linear_reduce(Rounds& out, Group group, std::size_t root, std::uint64_t bytes) {
  for (const std::uint32_t from : group) out.message(from, group[root], bytes);
  out.combine(group[root], bytes * (group.size() - 1));
  out.end_round();
}

void linear_allgather(Rounds& out, Group group, std::span<const std::uint64_t> blocks) {
  all_to_all_at_once(out, group, [blocks](std::size_t from) { return blocks[from]; });
  out.end_round();
}

void linear_allreduce(Rounds& out, Group group, std::uint64_t bytes) {
  all_to_all_at_once(out, group, [bytes](std::size_t) { return bytes; });
  for (const std::uint32_t member : group) out.combine(member, bytes * (group.size() - 1));
  out.end_round();
}

void linear_reduce_scatter(Rounds& out, Group group, std::uint64_t bytes) {
  linear_allreduce(out, group, (bytes + group.size() - 1) / group.size());
}

void ring_allgather(Rounds& out, Group group, std::size_t root, std::span<const std::uint64_t> blocks) {
  const Relative at(group, root);
  const std::size_t p = at.size();
  for (std::size_t step = 0; step + 1 < p; ++step) {
    std::size_t block = at.place(p - step);
    for (std::size_t i = 0; i < p; ++i) {
      out.message(at[i], i + 1 < p ? at[i + 1] : at[0], blocks[block]);
      if (++block == p) block = 0;
    }
    out.end_round();
  }
}

void recursive_doubling_allgather(Rounds& out, Group group, std::size_t root,
                                  std::span<const std::uint64_t> blocks) {
  if (!std::has_single_bit(group.size())) {
    bruck_allgather(out, group, blocks);
    return;
  }
  const Relative at(group, root);
  for (std::size_t bit = 1; bit < at.size(); bit *= 2) {
    for (std::size_t i = 0; i < at.size(); ++i)
      out.message(at[i], at[i ^ bit], at.bytes(blocks, i & ~(bit - 1), bit));
    out.end_round();
  }
}

void bruck_allgather(Rounds& out, Group group, std::span<const std::uint64_t> blocks) {
  const std::size_t p = group.size();
  for (std::size_t distance = 1; distance < p; distance *= 2) {
    const std::size_t count = std::min(distance, p - distance);
    for (std::size_t i = 0; i < p; ++i) {
      std::uint64_t bytes = 0;
      for (std::size_t k = 0; k < count; ++k) bytes += blocks[(i + k) % p];
      out.message(group[i], group[(i + p - distance) % p], bytes);
    }
    out.end_round();
  }
}

void pairwise_allgather(Rounds& out, Group group, std::span<const std::uint64_t> blocks) {
  by_distance(
      out, group, [blocks](std::size_t i) { return blocks[i]; }, false);
}

void recursive_doubling_allreduce(Rounds& out, Group group, std::uint64_t bytes) {
  const FoldedGroup fold(group);
  fold.in(out, bytes);
  for (std::size_t bit = 1; bit < fold.core(); bit *= 2) fold.exchange(out, bit, bytes, true);
  fold.back(out, bytes);
}

void reduce_scatter_allgather(Rounds& out, Group group, std::uint64_t bytes) {
  const FoldedGroup fold(group);
  fold.in(out, bytes);
  fold.halve(out, bytes);
  std::uint64_t part = bytes / fold.core();
  for (std::size_t bit = fold.core() / 2; bit > 0; bit /= 2, part *= 2) fold.exchange(out, bit, part, false);
  fold.back(out, bytes);
}

// A root that does not stay takes the place of the first member, with the data that it has combined.
void reduce_scatter_gather(Rounds& out, Group group, std::size_t root, std::uint64_t bytes) {
  const FoldedGroup fold(group, FoldedGroup::Stays::Even);
  fold.in(out, bytes);
  fold.halve(out, bytes);
  std::uint64_t part = bytes / fold.core();
  const bool stays = fold.place(root) < fold.core();
  const std::size_t place = stays ? fold.place(root) : 0;
  if (!stays) out.message(fold[0], group[root], part);
  out.end_round();
  const auto member = [&](std::size_t from_root) {
    return from_root == 0 ? group[root] : fold[from_root ^ place];
  };
  for (std::size_t bit = fold.core() / 2; bit > 0; bit /= 2, part *= 2) {
    for (std::size_t i = 0; i < bit; ++i) out.message(member(i + bit), member(i), part);
    out.end_round();
  }
}

void recursive_halving_reduce_scatter(Rounds& out, Group group, std::uint64_t bytes) {
  const FoldedGroup fold(group);
  fold.in(out, bytes);
  std::uint64_t part = bytes;
  for (std::size_t bit = fold.core() / 2; bit > 0; bit /= 2) fold.exchange(out, bit, part /= 2, true);
  fold.back(out, bytes / group.size());
}

// Where the number of members is not a power of two, some have no partner in the last rounds: they get what
// the others of their half received, by halving.
void recursive_doubling_reduce_scatter(Rounds& out, Group group, std::uint64_t bytes) {
  const std::size_t p = group.size();
  const auto part = [&](std::size_t blocks) { return bytes - bytes / p * std::min(blocks, p); };
  const auto send = [&](std::size_t from, std::size_t to, std::size_t blocks) {
    out.message(group[from], group[to], part(blocks));
    out.combine(group[to], part(blocks));
  };
  for (std::size_t bit = 1; bit < p; bit *= 2) {
    for (std::size_t i = 0; i < p; ++i)
      if ((i ^ bit) < p) send(i, i ^ bit, std::min(bit, p - (i & ~(bit - 1))));
    out.end_round();
    const std::size_t last = (p - 1) & ~(bit - 1), have = p - last;  // the last `bit` members, or fewer
    if (have == bit || (last & bit) == 0) continue;
    const std::size_t first = last - bit;  // of the members that lack partners
    for (std::size_t half = bit / 2; half > 0; half /= 2) {
      for (std::size_t i = first; i < last; i += 2 * half)
        for (std::size_t k = 0; k < half; ++k)
          if (k < have && k + half >= have) send(i + k, i + k + half, have);
      out.end_round();
    }
  }
}

void pairwise_reduce_scatter(Rounds& out, Group group, std::uint64_t bytes) {
  by_distance(
      out, group, [&](std::size_t) { return bytes / group.size(); }, true);
}

void recursive_doubling_scan(Rounds& out, Group group, std::uint64_t bytes) {
  for (std::size_t bit = 1; bit < group.size(); bit *= 2) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      if ((i ^ bit) >= group.size()) continue;
      out.message(group[i], group[i ^ bit], bytes);
      out.combine(group[i], bytes);
    }
    out.end_round();
  }
}

void linear_scan(Rounds& out, Group group, std::uint64_t bytes) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (std::size_t to = i + 1; to < group.size(); ++to) out.message(group[i], group[to], bytes);
    out.combine(group[i], bytes * i);
  }
  out.end_round();
}

void bruck_alltoall(Rounds& out, Group group, std::uint64_t block) {
  const std::size_t p = group.size();
  for (std::size_t bit = 1; bit < p; bit *= 2) {
    std::uint64_t blocks = 0;
    for (std::size_t i = 0; i < p; ++i) blocks += (i & bit) != 0 ? 1 : 0;
    for (std::size_t i = 0; i < p; ++i) out.message(group[i], group[(i + bit) % p], blocks * block);
    out.end_round();
  }
}

void ring_alltoall(Rounds& out, Group group, std::uint64_t block) {
  by_distance(
      out, group, [block](std::size_t) { return block; }, false);
}

void pairwise_alltoall(Rounds& out, Group group, std::uint64_t block) {
  const std::size_t p = group.size();
  if (!std::has_single_bit(p)) {
    ring_alltoall(out, group, block);
    return;
  }
  for (std::size_t step = 1; step < p; ++step) {
    for (std::size_t i = 0; i < p; ++i) out.message(group[i], group[i ^ step], block);
    out.end_round();
  }
}

void scattered_alltoall(Rounds& out, Group group, std::uint64_t block, std::uint32_t throttle) {
  const std::size_t p = group.size();
  for (std::size_t step = 1; step < p; ++step) {
    if (step % throttle == 0) out.end_round();  // counting the member itself as the first
    for (std::size_t i = 0; i < p; ++i) out.message(group[i], group[(i + p - step) % p], block);
  }
  out.end_round();
}

}  // namespace waitdiag
