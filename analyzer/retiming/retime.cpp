// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/retiming/retime.hpp"

#include <algorithm>

namespace waitdiag {
namespace {

class Replay {
 public:
  using Node = Dependencies::Node;

  Replay(const Trace& trace, const Dependencies& dependencies, const Change& change)
      : trace_(trace),
        dependencies_(dependencies),
        change_(change),
        next_saving_(trace.timelines().size(), 0),
        gathered_(dependencies.gatherings()) {
    result_.enter.resize(dependencies.calls());
    result_.end.resize(trace.timelines().size());
  }

  Retimed run() {
    for (std::uint32_t l = 0; l < result_.end.size(); ++l)
      enter_next(Location(l), 0, trace_.timelines()[l].begin());
    for (const Node node : dependencies_.order()) {
      if (dependencies_.is_call(node)) {
        const OpRef call = dependencies_.call(node);
        enter_next(call.location, call.op + 1, leave(call, node));
      } else {
        gather(node);
      }
    }
    result_.last_end = trace_.begin();
    for (const Time end : result_.end) result_.last_end = std::max(result_.last_end, end);
    return std::move(result_);
  }

 private:
  // What is saved here; asked in the order of savings.
  Duration saved(Location location, std::uint32_t op, bool in_call) {
    if (change_.savings.empty()) return {};
    const std::vector<Saving>& savings = change_.savings[index(location)];
    std::size_t& next = next_saving_[index(location)];
    Duration sum{};
    for (; next < savings.size() && savings[next].op == op && savings[next].in_call == in_call; ++next)
      sum += savings[next].time;
    return sum;
  }

  void enter_next(Location location, std::uint32_t op, Time before) {
    const Timeline& timeline = trace_.timeline(location);
    const Duration gap = timeline.gap_end(op) - timeline.gap_begin(op);
    const Time time = before + std::max(Duration::zero(), gap - saved(location, op, false));
    if (op < timeline.size()) {
      result_.enter[dependencies_.node({location, op})] = time;
    } else {
      result_.end[index(location)] = time;
    }
  }

  Time leave(OpRef call, Node node) {
    Time released = result_.enter[node];
    for (const Node on : dependencies_.of_call(node)) {
      const Time time = dependencies_.is_call(on) ? result_.enter[on] : gathered_[on - dependencies_.calls()];
      released = std::max(released, time);
    }
    const Duration own = dependencies_.own(node) - saved(call.location, call.op, true);
    return change_.no_transfer ? released : released + std::max(Duration::zero(), own);
  }

  void gather(Node gathering) {
    Time latest = Time::min();
    for (const Node member : dependencies_.members(gathering))
      latest = std::max(latest, result_.enter[member]);
    gathered_[gathering - dependencies_.calls()] = latest;
  }

  const Trace& trace_;
  const Dependencies& dependencies_;
  const Change& change_;
  std::vector<std::size_t> next_saving_;  // by location
  std::vector<Time> gathered_;            // by gathering
  Retimed result_;
};

}  // namespace

Retimed retime(const Trace& trace, const Dependencies& dependencies, const Change& change) {
  return Replay(trace, dependencies, change).run();
}

}  // namespace waitdiag
