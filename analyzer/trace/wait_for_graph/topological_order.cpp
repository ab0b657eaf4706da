// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/wait_for_graph/topological_order.hpp"

#include <algorithm>

namespace waitdiag {

TopologicalOrder::TopologicalOrder(const Trace& trace, WaitForGraph& graph)
    : trace_(trace),
      graph_(graph),
      left_(trace.timelines().size(), 0),
      seen_(graph.joins(), 0),
      entered_(graph.calls(), false),
      complete_(graph.joins(), false),
      watcher_(graph.joins(), kNoOp),
      join_sleeper_(graph.joins(), kNoOp),
      missing_op_(left_.size() + (graph.has_prefixes() ? graph.joins() : 0), kNoOp),
      sleeper_(left_.size(), kNoOp),
      earliest_(left_.size(), kNoOp),
      next_sleeper_(missing_op_.size(), kNoOp),
      asleep_(missing_op_.size(), false) {}

std::vector<WaitForGraph::Run> TopologicalOrder::find() {
  for (auto location = static_cast<std::uint32_t>(left_.size()); location-- > 0;) {
    if (trace_.timelines()[location].size() == 0) continue;
    awake_.push_back(location);
    entered_[graph_.node({Location(location), 0})] = true;
  }
  while (done_ < graph_.calls() + graph_.joins()) {
    while (!awake_.empty()) {
      const std::uint32_t location = awake_.back();
      awake_.pop_back();
      if (location < left_.size()) {
        go_on(location);
      } else if (!asleep_[location]) {  // still
        go_on_with_prefixes(location - left_.size());
      }
    }
    // A cycle: the call that ended first cannot have needed any of the others.
    const std::uint32_t location = stuck_longest();
    if (location == kNoOp) break;
    start_again();
    const Node call = graph_.node({Location(location), left_[location]});
    cut_.push_back(call);
  }
  if (graph_.contradicted_ == WaitForOptions::Contradicted::LeftOut) drop_needs_of_cut_calls();
  order_.shrink_to_fit();
  return std::move(order_);
}

void TopologicalOrder::drop_needs_of_cut_calls() {
  for (const Node call : cut_)
    for (auto i = graph_.first_need_[call]; i < graph_.first_need_[call + 1]; ++i)
      graph_.needs_[i] = call;  // on itself: entered by now
}

void TopologicalOrder::go_on(std::uint32_t location) {
  const auto calls = static_cast<std::uint32_t>(trace_.timelines()[location].size());
  while (left_[location] < calls) {
    const Node call = graph_.node({Location(location), left_[location]});
    Node missing = call;
    if (!is_ready(location, call, missing)) return sleep(location, missing);
    append(call, left_[location] > 0);
    if (++left_[location] == calls) return;
    entered_[call + 1] = true;
    if (left_[location] >= earliest_[location]) wake(location);
  }
}

// `to_run`: appends to the last run, if that ends here.
void TopologicalOrder::append(Node node, bool to_run) {
  ++done_;
  if (to_run && !order_.empty() && order_.back().last == node) {
    ++order_.back().last;
  } else {
    order_.push_back({node, node + 1});
  }
}

bool TopologicalOrder::is_ready(std::uint32_t location, Node call, Node& missing) {
  if (!cut_.empty() && cut_.back() == call) return true;
  for (const Node on : graph_.of_call(call)) {
    if (graph_.is_call(on)) {
      missing = on;
      if (!entered_[on]) return false;
    } else if (!is_complete(location, on, missing)) {
      return false;
    }
  }
  return true;
}

bool TopologicalOrder::is_complete(std::uint32_t location, Node join, Node& missing) {
  const std::size_t i = graph_.join(join);
  if (complete_[i]) return true;
  if (graph_.prefix(join) > 0) {
    missing = join;
    const std::size_t first = graph_.join(graph_.first_of_prefix(join));
    if (watcher_[first] == kNoOp || watcher_[first] < i) watcher_[first] = static_cast<std::uint32_t>(i);
    if (!asleep_[left_.size() + first]) go_on_with_prefixes(first);
    return complete_[i];
  }
  if (watcher_[i] != kNoOp && watcher_[i] != location) {
    missing = join;
    return false;
  }
  const auto members = graph_.members(join);
  for (; seen_[i] < members.size(); ++seen_[i]) {
    if (entered_[members[seen_[i]]]) continue;
    missing = members[seen_[i]];
    watcher_[i] = location;
    return false;
  }
  complete(join);
  return true;
}

// Wakes all locations that waited for it.
void TopologicalOrder::complete(Node join) {
  const std::size_t i = graph_.join(join);
  complete_[i] = true;
  append(join, false);
  for (std::uint32_t sleeper = join_sleeper_[i]; sleeper != kNoOp; sleeper = next_sleeper_[sleeper]) {
    asleep_[sleeper] = false;
    awake_.push_back(sleeper);
  }
}

// Completes the joins of a prefix operation up to the last one that is needed, or the next member that has not been
// entered.
void TopologicalOrder::go_on_with_prefixes(std::size_t first) {
  const std::uint32_t last = watcher_[first];
  if (last == kNoOp) return;
  for (std::uint32_t& done = seen_[first]; first + done <= last; ++done) {
    const auto join = static_cast<Node>(graph_.calls() + first + done);
    for (const Node member : graph_.members(join)) {
      if (!graph_.is_call(member) || entered_[member]) continue;
      return sleep(static_cast<std::uint32_t>(left_.size() + first), member);
    }
    complete(join);
  }
}

void TopologicalOrder::sleep(std::uint32_t location, Node missing) {
  asleep_[location] = true;
  std::uint32_t* first = nullptr;
  if (graph_.is_call(missing)) {
    const OpRef call = graph_.call(missing);
    missing_op_[location] = call.op;
    first = &sleeper_[index(call.location)];
    earliest_[index(call.location)] = std::min(earliest_[index(call.location)], call.op);
  } else {
    first = &join_sleeper_[graph_.join(missing)];
  }
  next_sleeper_[location] = *first;
  *first = location;
}

// Wakes all locations that waited for a call of this location that has now been entered.
void TopologicalOrder::wake(std::uint32_t location) {
  earliest_[location] = kNoOp;
  for (std::uint32_t* link = &sleeper_[location]; *link != kNoOp;) {
    const std::uint32_t sleeper = *link;
    if (missing_op_[sleeper] <= left_[location]) {
      *link = next_sleeper_[sleeper];
      asleep_[sleeper] = false;
      awake_.push_back(sleeper);
    } else {
      earliest_[location] = std::min(earliest_[location], missing_op_[sleeper]);
      link = &next_sleeper_[sleeper];
    }
  }
}

// All locations check again what they need, and which join each of them watches.
void TopologicalOrder::start_again() {
  for (std::uint32_t location = 0; location < asleep_.size(); ++location) {
    if (!asleep_[location]) continue;
    asleep_[location] = false;
    awake_.push_back(location);
    if (location >= left_.size()) continue;
    for (const Node on : graph_.of_call(graph_.node({Location(location), left_[location]}))) {
      if (graph_.is_call(on)) continue;
      watcher_[graph_.join(on)] = join_sleeper_[graph_.join(on)] = kNoOp;
    }
  }
  std::fill(sleeper_.begin(), sleeper_.end(), kNoOp);
  std::fill(earliest_.begin(), earliest_.end(), kNoOp);
}

// kNoOp: none waits.
std::uint32_t TopologicalOrder::stuck_longest() const {
  const auto left_at = [&](std::uint32_t location) {
    return trace_.timelines()[location].leave(left_[location]);
  };
  std::uint32_t first = kNoOp;
  for (std::uint32_t location = 0; location < left_.size(); ++location) {
    if (!asleep_[location]) continue;
    if (first == kNoOp || left_at(location) < left_at(first)) first = location;
  }
  return first;
}

}  // namespace waitdiag
