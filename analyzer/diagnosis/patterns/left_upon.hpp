// Upon whose arrival a member of a collective operation left: which member passes data to which is not
// recorded, but the times of leaving show it. A member had been in the call for long, and left as soon as a
// certain other one had come.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/diagnosis/patterns/wait_pattern.hpp"
#include "analyzer/trace/sync/rules.hpp"

namespace waitdiag {

// Did `call`, which had waited that long, end soon after `other` was entered?
inline bool left_upon(const Trace& trace, OpRef call, OpRef other, Duration waited) {
  return is_soon(trace.leave(call) - trace.enter(other), waited);
}

// For how long a process was outside MPI between some time and a later call.
inline Duration outside_mpi(const Trace& trace, Time from, OpRef call) {
  const Timeline& timeline = trace.timeline(call.location);
  Duration outside = trace.enter(call) - from;
  for (std::uint32_t op = call.op; op-- > 0 && timeline.leave(op) > from;)
    outside -= timeline.leave(op) - std::max(from, timeline.enter(op));
  return outside;
}

// How often calls ended once another process was in MPI again, and how often before.
struct SeenEnding {
  int upon_return = 0, before = 0;
  bool depends() const {
    constexpr int kEnough = 3, kManyTimes = 4;
    return upon_return >= kEnough && upon_return >= kManyTimes * before;
  }
};

// The same by kind of message, over all processes.
template <typename Kind>
class SeenEndings {
 public:
  using Counts = std::map<Kind, SeenEnding>;

  void add(const Counts& of_process) {
    for (const auto& [kind, seen] : of_process) {
      counts_[kind].upon_return += seen.upon_return;
      counts_[kind].before += seen.before;
    }
  }
  bool depends(const Kind& kind) const {
    const auto found = counts_.find(kind);
    return found != counts_.end() && found->second.depends();
  }
  bool any_depends() const {
    return std::ranges::any_of(counts_, [](const auto& one) { return one.second.depends(); });
  }

 private:
  Counts counts_;
};

class LeftUpon {
 public:
  // `members`: participants; `arrivals`: of all participants.
  LeftUpon(const CollectiveView& view, std::vector<std::uint32_t> members, std::vector<Time> arrivals)
      : view_(view), arrivals_(std::move(arrivals)), order_(std::move(members)) {
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t i) { return arrivals_[i]; });
    if (order_.empty()) return;
    std::vector<Duration> own;
    for (const std::uint32_t i : order_)
      own.push_back(end_of(i) - std::max(arrival(place_behind(i) - 1), arrivals_[i]));
    const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
    std::nth_element(own.begin(), middle, own.end());
    usual_ = *middle;
  }

  // `me` waits for the last member that came before it left, if it left right then. `from`: until then it had
  // to wait for another.
  void look_at(std::uint32_t me, Time from, std::vector<CollectiveWait>& found) const {
    const std::size_t end = place_behind(me);
    const std::size_t last = end > 0 && order_[end - 1] == me ? end - 1 : end;
    if (last == 0 || arrival(last - 1) <= from) return;
    const Duration wait = arrival(last - 1) - from, rest = end_of(me) - arrival(last - 1);
    const auto begin = std::ranges::upper_bound(order_, from, {}, [&](auto i) { return arrivals_[i]; });
    const auto candidates = static_cast<double>(order_.begin() + static_cast<std::ptrdiff_t>(end) - begin);
    const bool soon =
        static_cast<double>(rest.count()) * candidates <= kChance * static_cast<double>(wait.count());
    if (soon || (rest < wait && rest <= 2 * usual_)) found.push_back({me, order_[last - 1], wait});
  }

 private:
  // The chance, at most, that a member arrives by coincidence just before another one leaves that was in the
  // call for a different reason.
  static constexpr double kChance = 0.25;

  Time end_of(std::uint32_t i) const { return view_.participants[i].end; }
  Time arrival(std::size_t place) const { return arrivals_[order_[place]]; }
  // The place, in the order of arrival, after all that had come when `me` left: at least itself.
  std::size_t place_behind(std::uint32_t me) const {
    const auto behind =
        std::ranges::upper_bound(order_, end_of(me), {}, [&](auto i) { return arrivals_[i]; });
    return static_cast<std::size_t>(behind - order_.begin());
  }

  const CollectiveView& view_;
  std::vector<Time> arrivals_;        // by participant
  std::vector<std::uint32_t> order_;  // members, as they arrived
  Duration usual_{};                  // how long a member stays after the last arrival it can have waited for
};

}  // namespace waitdiag
