// The synchronisation interval of every wait: the stretch before it in which the causing process must have
// lost the time. It ends where the two calls of the wait are entered. It starts
//
//   * Causal: at the last event of one process that the other waited for, directly or at the end of a chain
//     of messages and collectives that each made a process wait; in a barrier or all-to-all operation all
//     wait for the last one. The side of the event starts after its call, or with that call if it waited
//     after it had passed on its knowledge. Where both waited for each other in one operation, the late side
//     starts in its call where the other one left that operation, if it still waited then: for what a third
//     one did inside. The other side starts where it learned of the event, or in its
//     wait at the instant of the event. So both sides are compared over the same stretch of time, and the
//     difference of what they did in it is the wait. Knowledge that arrives while a process is busy is not
//     such an event: that process is as late afterwards as before, and what made it late lies before. Nor
//     does a process learn from an event if it computed between the begin of its part and the call that
//     completes it (work_ahead.hpp): it did before the event what the other one does after it. Such events
//     count for waits that are as far ahead.
//   * Pair: at the last point where the two processes synchronised directly (Boehme et al.).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/detection/wait_states.hpp"
#include "analyzer/diagnosis/intervals/near_search.hpp"

namespace waitdiag {

// There are two for each wait, so they are kept small: none has both an instant and an addition.
class IntervalSide {
 public:
  // After this call (kNoOp: at the begin of the timeline), and not before this instant.
  IntervalSide(std::uint32_t first = kNoOp, Time instant = Time::min()) : start(first) {
    if (instant != Time::min()) keep(instant - Time{}, true);
  }
  // Of a pair interval: what Scalasca's pruning adds to the opening call's path.
  static IntervalSide of_pair(std::uint32_t start, Duration opening) {
    IntervalSide side(start);
    side.keep(opening, false);
    return side;
  }

  Time from() const { return is_from() ? Time(time()) : Time::min(); }
  Duration opening() const { return is_from() ? Duration::zero() : time(); }

  std::uint32_t start;

 private:
  // Twice the time, and one more if it is an instant. Two numbers: so the whole takes 12 bytes. Times of a trace are far
  // from the ends of their range.
  void keep(Duration time, bool instant) {
    kept_ = std::bit_cast<std::array<std::uint32_t, 2>>(2 * time.count() + (instant ? 1 : 0));
  }
  bool is_from() const { return (std::bit_cast<std::int64_t>(kept_) & 1) != 0; }
  Duration time() const { return Duration(std::bit_cast<std::int64_t>(kept_) >> 1); }

  std::array<std::uint32_t, 2> kept_{};
};

// Where the side of a location begins.
inline Time begin_of(const Timeline& timeline, const IntervalSide& side) {
  return std::max(side.from(), side.start == kNoOp ? timeline.begin() : timeline.leave(side.start));
}

// Begins at `from`, but not after call `end`; probably shortly before call `near`.
inline IntervalSide side_behind(const Timeline& timeline, Time from, std::uint32_t end, std::uint32_t near) {
  // How many calls were over at that instant.
  const auto over = static_cast<std::uint32_t>(first_not_before(
      end, near, [&](std::size_t op) { return timeline.leave(static_cast<std::uint32_t>(op)) <= from; }));
  return {over == 0 ? kNoOp : over - 1, from};
}
inline IntervalSide side_behind(const Timeline& timeline, Time from, std::uint32_t end) {
  return side_behind(timeline, from, end, end);
}

struct SyncInterval {
  IntervalSide cause, victim;
};

// One interval for each wait, in their order. What is approximated is noted in `anomalies`.
std::vector<SyncInterval> causal_intervals(const Trace& trace, const SyncPoints& sync,
                                           const WaitStates& states, Anomalies* anomalies = nullptr);
std::vector<SyncInterval> pair_intervals(const Trace& trace, const SyncPoints& sync,
                                         const WaitStates& states);

}  // namespace waitdiag
