// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/replay/collective_schedule.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "analyzer/simulation/replay/collective_algorithms.hpp"

namespace waitdiag {
namespace {

using Operation = CollectiveOperation;
using enum CollectiveAlgorithm;

// One operation on all members or, for the two-level compositions, on some of them.
class Composer {
 public:
  Composer(const CollectiveShape& shape, std::span<const std::uint32_t> ranks, const Placement& placement,
           const CollectiveTable& table, Rounds& out)
      : shape_(shape),
        table_(table),
        blocks_(shape.blocks),
        all_(ranks.size()),
        node_of_(ranks.size(), 0),
        out_(out) {
    if (blocks_.empty()) blocks_.push_back(0);
    blocks_.resize(ranks.size(), blocks_.front());
    std::iota(all_.begin(), all_.end(), 0u);
    std::map<std::uint32_t, std::size_t> nodes;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const auto [node, is_new] = nodes.try_emplace(placement.node(ranks[i]), nodes.size());
      node_of_[i] = node->second;
    }
    nodes_ = std::max<std::size_t>(1, nodes.size());
  }

  void compose() {
    for (const CollectiveShape::Flow& flow : shape_.flows) flow_.push_back(flow);
    switch (shape_.kind) {
      case CollectiveKind::Bcast:
        run(Operation::Bcast, all_, root(), blocks_.front());
        break;
      case CollectiveKind::Reduce:
        run(Operation::Reduce, all_, root(), blocks_.front());
        break;
      case CollectiveKind::Allreduce:
        run(Operation::Allreduce, all_, 0, blocks_.front());
        break;
      case CollectiveKind::Gather:
        by_blocks(Operation::Gather, all_);
        break;
      case CollectiveKind::Gatherv:
        by_blocks(Operation::Gatherv, all_);
        break;
      case CollectiveKind::Scatter:
        by_blocks(Operation::Scatter, all_);
        break;
      case CollectiveKind::Scatterv:
        by_blocks(Operation::Scatterv, all_);
        break;
      case CollectiveKind::Allgather:
        by_blocks(Operation::Allgather, all_);
        break;
      case CollectiveKind::Allgatherv:
        by_blocks(Operation::Allgatherv, all_);
        break;
      case CollectiveKind::Alltoall:
        alltoall();
        break;
      case CollectiveKind::Alltoallv:
      case CollectiveKind::Alltoallw:
      case CollectiveKind::Neighbourhood:
        by_flows();
        break;
      case CollectiveKind::ReduceScatter:
      case CollectiveKind::ReduceScatterBlock:
        reduce_scatter();
        break;
      case CollectiveKind::Scan:
      case CollectiveKind::Exscan:
        scan(blocks_.front());
        break;
      case CollectiveKind::CreateHandle:
        compose_of(table_.constructor(shape_.function));
        break;
      default:
        if (const auto* const stages = composition_of(shape_.kind, table_); stages != nullptr) {
          compose_of(*stages);
        } else {
          run(Operation::Barrier, all_, 0, 0);
        }
    }
    out_.end_round();
  }

 private:
  std::size_t root() const { return shape_.root == kNoMember ? 0 : shape_.root; }
  std::uint64_t total() const { return std::accumulate(blocks_.begin(), blocks_.end(), std::uint64_t{0}); }
  // Are there several nodes with ranks of the group, at least one of them with several?
  bool several_nodes(Group group) const {
    return group.size() == all_.size() && nodes_ > 1 && nodes_ < all_.size();
  }

  CollectiveAlgorithm choose(Operation operation, Group group, std::uint64_t bytes) const {
    return table_
        .choose({.operation = operation,
                 .ranks = group.size(),
                 .bytes = bytes,
                 .several_nodes = several_nodes(group),
                 .nonblocking = shape_.nonblocking})
        .algorithm;
  }

  void run(Operation operation, Group group, std::size_t root, std::uint64_t bytes) {
    if (group.size() < 2) return;
    const CollectiveAlgorithm algorithm = choose(operation, group, bytes);
    if (algorithm == TwoLevel) {
      two_levels(operation, root, bytes);
    } else if (operation == Operation::Barrier) {
      dissemination(out_, group);
    } else if (operation == Operation::Bcast) {
      bcast(algorithm, group, root, bytes);
    } else if (algorithm == Linear) {
      operation == Operation::Reduce ? linear_reduce(out_, group, root, bytes)
                                     : linear_allreduce(out_, group, bytes);
    } else if (operation == Operation::Reduce) {
      algorithm == Binomial ? binomial_reduce(out_, group, root, bytes)
                            : reduce_scatter_gather(out_, group, root, bytes);
    } else {
      algorithm == RecursiveDoubling ? recursive_doubling_allreduce(out_, group, bytes)
                                     : reduce_scatter_allgather(out_, group, bytes);
    }
  }

  void bcast(CollectiveAlgorithm algorithm, Group group, std::size_t root, std::uint64_t bytes) {
    if (algorithm == Binomial) {
      binomial_bcast(out_, group, root, bytes);
      return;
    }
    if (algorithm == BinomialFromFirst) {
      binomial_bcast_from_first(out_, group, root, bytes);
      return;
    }
    if (algorithm == Linear) {
      linear_scatter(out_, group, root, std::vector<std::uint64_t>(group.size(), bytes));
      return;
    }
    const std::vector<std::uint64_t> parts(group.size(), (bytes + group.size() - 1) / group.size());
    binomial_scatter(out_, group, root, parts);
    if (algorithm == ScatterRing) {
      ring_allgather(out_, group, root, parts);
    } else {
      recursive_doubling_allgather(out_, group, root, parts);
    }
  }

  // On each node towards its first rank (on the root's node: the root), then between these, and back.
  void two_levels(Operation operation, std::size_t root, std::uint64_t bytes) {
    std::vector<std::vector<std::uint32_t>> nodes(nodes_);
    for (const std::uint32_t member : all_) nodes[node_of_[member]].push_back(member);
    std::vector<std::uint32_t> leaders;
    for (auto& node : nodes) {
      const auto at = std::find(node.begin(), node.end(), static_cast<std::uint32_t>(root));
      if (at != node.end()) std::rotate(node.begin(), at, at + 1);
      leaders.push_back(node.front());
    }
    const std::size_t leading = node_of_[root];
    out_.part_by_part();
    const bool inwards = operation != Operation::Bcast, outwards = operation != Operation::Reduce;
    for (const auto& node : nodes)
      if (inwards)
        run(operation == Operation::Barrier ? Operation::Barrier : Operation::Reduce, node, 0, bytes);
    run(operation, leaders, leading, bytes);
    for (const auto& node : nodes)
      if (outwards) run(Operation::Bcast, node, 0, bytes);
  }

  void by_blocks(Operation operation, Group group, std::optional<CollectiveAlgorithm> fixed = {}) {
    const CollectiveAlgorithm algorithm = fixed.value_or(choose(operation, group, total()));
    const bool gathers = operation == Operation::Gather || operation == Operation::Gatherv;
    if (operation == Operation::Allgather || operation == Operation::Allgatherv) {
      if (algorithm == RecursiveDoubling) recursive_doubling_allgather(out_, group, 0, blocks_);
      if (algorithm == Bruck) bruck_allgather(out_, group, blocks_);
      if (algorithm == Ring) ring_allgather(out_, group, 0, blocks_);
      if (algorithm == Pairwise) pairwise_allgather(out_, group, blocks_);
      if (algorithm == Linear) linear_allgather(out_, group, blocks_);
    } else if (algorithm == BinomialSmallestFirst) {
      binomial_scatter_smallest_first(out_, group, root(), blocks_);
    } else if (algorithm == Binomial) {
      gathers ? binomial_gather(out_, group, root(), blocks_)
              : binomial_scatter(out_, group, root(), blocks_);
    } else {
      gathers ? linear_gather(out_, group, root(), blocks_) : linear_scatter(out_, group, root(), blocks_);
    }
  }

  // Members without one among others that have one asked for none (MPI_UNDEFINED). If none is known, all form one.
  std::vector<std::vector<std::uint32_t>> new_communicators() const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> parts;
    for (const std::uint32_t member : all_)
      if (member < shape_.parts.size() && shape_.parts[member] != kNoMember)
        parts[shape_.parts[member]].push_back(member);
    if (parts.empty()) return {all_};
    std::vector<std::vector<std::uint32_t>> groups;
    for (auto& [part, members] : parts) groups.push_back(std::move(members));
    return groups;
  }

  // Other operations, one after the other: as a communicator is made.
  void compose_of(const std::vector<ConstructorStage>& stages) {
    const std::vector<std::vector<std::uint32_t>> whole = {all_}, made = new_communicators();
    for (const ConstructorStage& stage : stages) {
      if (stage.on_new && made.size() > 1) out_.part_by_part();
      for (const auto& group : stage.on_new ? made : whole) {
        if (CollectiveTable::is_by_blocks(stage.operation)) {
          blocks_.assign(group.size(), stage.bytes);
          if (group.size() > 1) by_blocks(stage.operation, group, stage.algorithm);
        } else {
          run(stage.operation, group, 0, stage.bytes);
        }
      }
    }
  }

  void alltoall() {
    const std::uint64_t block = blocks_.front();
    const CollectiveAlgorithm algorithm = choose(Operation::Alltoall, all_, block);
    if (algorithm == Bruck) bruck_alltoall(out_, all_, block);
    if (algorithm == Ring) ring_alltoall(out_, all_, block);
    if (algorithm == Pairwise) pairwise_alltoall(out_, all_, block);
    if (algorithm == Scattered) scattered_alltoall(out_, all_, block, table_.throttle);
    if (algorithm == Linear) linear_allgather(out_, all_, blocks_);
  }

  void reduce_scatter() {
    const std::uint64_t bytes = total();
    const CollectiveAlgorithm algorithm = choose(Operation::ReduceScatter, all_, bytes);
    if (algorithm == RecursiveHalving) recursive_halving_reduce_scatter(out_, all_, bytes);
    if (algorithm == RecursiveDoubling) recursive_doubling_reduce_scatter(out_, all_, bytes);
    if (algorithm == Pairwise) pairwise_reduce_scatter(out_, all_, bytes);
    if (algorithm == Linear) linear_reduce_scatter(out_, all_, bytes);
  }

  void scan(std::uint64_t bytes) {
    const CollectiveAlgorithm algorithm = choose(Operation::Scan, all_, bytes);
    algorithm == Linear ? linear_scan(out_, all_, bytes) : recursive_doubling_scan(out_, all_, bytes);
  }

  // In the order of MPICH's scattered algorithm: to itself (which costs nothing, but counts among the
  // messages at a time), to the previous neighbour, to the one before that.
  void by_flows() {
    const bool at_once = choose(Operation::Alltoallv, all_, 0) == Linear;
    const std::size_t p = all_.size();
    const auto distance = [p](const CollectiveShape::Flow& flow) { return (flow.from + p - flow.to) % p; };
    std::stable_sort(flow_.begin(), flow_.end(),
                     [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
    std::size_t round = 0;
    for (const CollectiveShape::Flow& flow : flow_) {
      if (distance(flow) == 0) continue;
      if (!at_once && distance(flow) / table_.throttle != round) out_.end_round();
      round = distance(flow) / table_.throttle;
      out_.message(flow.from, flow.to, flow.bytes);
    }
    out_.end_round();
  }

  const CollectiveShape& shape_;
  const CollectiveTable& table_;
  std::vector<std::uint64_t> blocks_;  // by member
  std::vector<std::uint32_t> all_;
  std::vector<std::size_t> node_of_;  // by member
  std::size_t nodes_ = 1;
  std::vector<CollectiveShape::Flow> flow_;
  Rounds& out_;
};

}  // namespace

bool only_gathers(CollectiveKind kind) {
  return kind == CollectiveKind::Init || kind == CollectiveKind::Finalize ||
         kind == CollectiveKind::WinCreate || kind == CollectiveKind::WinFree ||
         kind == CollectiveKind::FileCall;
}

const std::vector<ConstructorStage>* composition_of(CollectiveKind kind, const CollectiveTable& table) {
  switch (kind) {
    case CollectiveKind::Fence:
      return table.composition("MPI_Win_fence");
    case CollectiveKind::WinCreate:
      return table.composition("MPI_Win_create");
    case CollectiveKind::WinFree:
      return table.composition("MPI_Win_free");
    default:
      return nullptr;
  }
}

void tell_rounds(const CollectiveShape& shape, std::span<const std::uint32_t> ranks,
                 const Placement& placement, const CollectiveTable& table, Rounds& out) {
  Composer(shape, ranks, placement, table, out).compose();
}

Schedule make_schedule(const CollectiveShape& shape, std::span<const std::uint32_t> ranks,
                       const Placement& placement, const CollectiveTable& table) {
  ScheduleBuilder out(static_cast<std::uint32_t>(ranks.size()));
  tell_rounds(shape, ranks, placement, table, out);
  return out.build();
}

}  // namespace waitdiag
