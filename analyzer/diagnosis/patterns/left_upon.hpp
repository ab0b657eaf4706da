// Whose arrival a member of a collective operation left upon: nobody records who passes what on to whom, but it
// shows in who leaves when. Somebody had been in the call for long, and left as soon as a certain other one had
// come.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/patterns/wait_pattern.hpp"

namespace waitdiag {

// Did `call` end soon after `other` had been entered, for which it had waited that long?
inline bool left_upon(const Trace& trace, OpRef call, OpRef other, Duration waited) {
  constexpr int kSoon = 4;  // the rest is no more than this part of the wait
  return kSoon * (trace.leave(call) - trace.enter(other)) <= waited;
}

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

  // `me` waits for the last one that came before it left, if it left right then. `from`: until then it had to
  // wait for somebody else.
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
  // Who comes while somebody else is in the call for another reason does so soon before that one leaves with
  // this chance, at most.
  static constexpr double kChance = 0.25;

  Time end_of(std::uint32_t i) const { return view_.participants[i].end; }
  Time arrival(std::size_t place) const { return arrivals_[order_[place]]; }
  // In the order of arrival, behind all that had come when `me` left: at least itself.
  std::size_t place_behind(std::uint32_t me) const {
    const auto behind =
        std::ranges::upper_bound(order_, end_of(me), {}, [&](auto i) { return arrivals_[i]; });
    return static_cast<std::size_t>(behind - order_.begin());
  }

  const CollectiveView& view_;
  std::vector<Time> arrivals_;        // by participant
  std::vector<std::uint32_t> order_;  // members, as they arrived
  Duration usual_{};                  // that a member stays behind the last arrival it can have waited for
};

}  // namespace waitdiag
