// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "analyzer/diagnosis/causes/growth.hpp"

namespace waitdiag {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The call tree above some call paths, each node once: one chain of callers after the other, each up to where it
// joins an earlier one.
class TreeAbove {
 public:
  TreeAbove(const Trace& trace, const Shares& shares) : paths_(shares.size()) {
    for (const auto& [path, share] : shares) add(trace, path);
    count();
    find_different();
  }

  // Calls visit(node) for the nodes above a path below which not all paths lie, and not the same ones as below the
  // node above them.
  template <typename Visit>
  void for_each_different(std::size_t path, Visit visit) const {
    std::uint32_t node = of_path_[path];
    if (!is_different(node)) node = nodes_[node].up;
    for (; node != kNone; node = nodes_[node].up) visit(node);
  }
  std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    std::uint32_t parent = kNone;
    std::uint32_t paths = 0;   // below it, itself included
    std::uint32_t up = kNone;  // the next different one above it
  };

  void add(const Trace& trace, CallPathId path) {
    chains_.push_back(nodes_.size());
    if (path == kNoCallPath) {  // what has no name stands alone
      of_path_.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.emplace_back();
      return;
    }
    std::uint32_t below = kNone;
    for (CallPathId at = path; at != kNoCallPath; at = trace.call_paths()[index(at)].parent) {
      const auto [known, is_new] = numbers_.try_emplace(at, static_cast<std::uint32_t>(nodes_.size()));
      if (below != kNone) nodes_[below].parent = known->second;
      if (!is_new) break;
      below = known->second;
      nodes_.emplace_back();
    }
    of_path_.push_back(numbers_.at(path));
  }
  void count() {
    for (const std::uint32_t node : of_path_) ++nodes_[node].paths;
    std::size_t end = nodes_.size();
    for (std::size_t chain = chains_.size(); chain-- > 0; end = chains_[chain])
      for (std::size_t node = chains_[chain]; node < end; ++node)
        if (const std::uint32_t parent = nodes_[node].parent; parent != kNone)
          nodes_[parent].paths += nodes_[node].paths;
  }
  void find_different() {
    for (std::size_t chain = 0; chain < chains_.size(); ++chain) {
      const std::size_t end = chain + 1 < chains_.size() ? chains_[chain + 1] : nodes_.size();
      for (std::size_t node = end; node-- > chains_[chain];)
        if (const std::uint32_t parent = nodes_[node].parent; parent != kNone)
          nodes_[node].up = is_different(parent) ? parent : nodes_[parent].up;
    }
  }
  // One with a single path below is that path itself.
  bool is_different(std::uint32_t node) const {
    const auto [parent, paths, up] = nodes_[node];
    return paths > 1 && paths < paths_ && (parent == kNone || nodes_[parent].paths > paths);
  }

  std::size_t paths_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> chains_;     // where each begins
  std::vector<std::uint32_t> of_path_;  // nodes
  std::unordered_map<CallPathId, std::uint32_t> numbers_;
};

}  // namespace

PartsOfTree::PartsOfTree(const Trace& trace, const Shares& shares) {
  if (shares.size() < 2) return;
  const TreeAbove tree(trace, shares);
  std::vector<std::vector<std::uint32_t>> found, below(tree.size());
  for (std::uint32_t path = 0; path < shares.size(); ++path) {
    found.push_back({path});
    tree.for_each_different(path, [&](std::uint32_t node) { below[node].push_back(path); });
  }
  for (std::vector<std::uint32_t>& part : below)
    if (!part.empty()) found.push_back(std::move(part));
  std::ranges::sort(found);
  for (const std::vector<std::uint32_t>& part : found) {
    members_.insert(members_.end(), part.begin(), part.end());
    ends_.push_back(members_.size());
  }
}

}  // namespace waitdiag
