// Late Progress: data of large messages and of nonblocking collective operations moves only while both sides
// are in MPI. A process that started everything in time, but then computes, holds up those that already wait
// for it.
//
//   late one   [start]........ computes ........[= MPI_Wait =]
//   the others [start]..[~~~~~~~ waiting ~~~~~~~|= MPI_Wait =]
//
// Whether an implementation moves data in the background is not recorded. The times of leaving show it: a
// process had been in MPI_Wait for long, and left as soon as the other one was in MPI again, or as long after
// that as such operations take.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>

#include "analyzer/diagnosis/patterns/left_upon.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

struct Return {
  Time time{};
  std::uint32_t member = 0, number = 0;
};

// Where calls are in parts, one of these may also end when another member begins.
std::vector<Return> returns_in_order(const CollectiveView& view) {
  std::vector<Return> returns;
  const bool any_parts =
      std::ranges::any_of(view.participants, [](const Participant& one) { return one.parts > 0; });
  for (std::uint32_t i = 0; any_parts && i < view.participants.size(); ++i)
    returns.push_back({view.participants[i].begin, i, CollectiveWait::kBegin});
  for (std::uint32_t i = 0; i < view.participants.size(); ++i) {
    const std::span<const Time> times = view.participants[i].returns;
    for (std::uint32_t r = 0; r < times.size(); ++r) returns.push_back({times[r], i, r});
  }
  std::ranges::stable_sort(returns, {}, &Return::time);
  return returns;
}

// Which return of another member ended the wait of `me`: the one behind which it stayed for as long as usual.
const Return* most_likely(const std::vector<Return>& returns, std::uint32_t me, Time end, Duration usual) {
  const auto before_end = std::ranges::upper_bound(returns, end, {}, &Return::time);
  const auto middle = std::ranges::upper_bound(returns.begin(), before_end, end - usual, {}, &Return::time);
  auto later = middle, earlier = middle;
  while (later != before_end && later->member == me) ++later;
  while (earlier != returns.begin() && std::prev(earlier)->member == me) --earlier;
  const Return* const found_earlier = earlier == returns.begin() ? nullptr : &*std::prev(earlier);
  if (later == before_end) return found_earlier;
  if (found_earlier == nullptr) return &*later;
  return later->time - (end - usual) <= end - usual - found_earlier->time ? &*later : found_earlier;
}

Duration difference(Duration a, Duration b) {
  return a < b ? b - a : a - b;
}

// After all have started the operation, a member waits until another one is in MPI again. Without that it would
// have left earlier, and stayed as long as usual behind the last start. Chance puts one of many returns shortly before
// any time.
void wait_for_return(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  Time started = Time::min();
  for (const Participant& participant : view.participants) started = std::max(started, participant.begin);
  const std::vector<Return> returns = returns_in_order(view);
  const auto look_at = [&](std::uint32_t me, std::uint32_t part, Time from, Time end) {
    const Return* const by = most_likely(returns, me, end, view.usual_end);
    if (by == nullptr || by->time <= from) return;
    const Duration wait = by->time - from, rest = end - by->time;
    const auto candidates = std::ranges::upper_bound(returns, end, {}, &Return::time) -
                            std::ranges::upper_bound(returns, from, {}, &Return::time);
    const bool fits = difference(rest, view.usual_end) < difference(rest + wait, view.usual_end);
    const bool soon = rest <= 2 * view.usual_end || is_soon(candidates * rest, wait);
    if (fits && (soon || (view.needs_all && rest <= wait)))
      found.push_back({me, by->member, wait, by->number, part});
  };
  for (std::uint32_t me = 0; me < view.participants.size(); ++me) {
    const Participant& participant = view.participants[me];
    if (participant.parts == 0) look_at(me, 0, std::max(started, participant.waits_from), participant.end);
    for (std::uint32_t part = 0; part < participant.parts; ++part) {
      const std::uint32_t op = participant.first_part + part;
      const Time enter = participant.timeline->enter(op), leave = participant.timeline->leave(op);
      look_at(me, part, leave < started ? enter : std::max(started, enter), leave);
    }
  }
}

bool completes_receive(CallKind kind) {
  using enum CallKind;
  return kind == Recv || kind == Wait || kind == Waitany || kind == Waitall || kind == Waitsome;
}

// Counts from the late send on, if there was one.
Duration wait_for_sender_in_mpi(const MessageView& message) {
  if (!completes_receive(message.receive.kind)) return Duration::zero();
  const Time from = std::max(message.receive.enter, message.send.leave), back = message.send_completion.enter;
  return back >= message.receive.leave ? Duration::zero() : back - from;
}

}  // namespace

const WaitPattern message_progress{
    .id = "message_progress",
    .title = "Late Progress of a message",
    .summary =
        "A receiver waited because the data of a message moves only while its sender is in MPI, which was "
        "computing.",
    .advice =
        "Let the sender call MPI_Test now and then while it computes, or let MPI use a thread for progress.",
    .rule =
        "enter of the sender's next call - max(enter of receive, leave of send), if the receive ended right "
        "then. The send needs its receiver, or such messages mostly wait for their sender",
    .tells_cause = true,
    .in_scalasca = false,
    .waits_for = WaitsFor::Progress,
    .on_message = wait_for_sender_in_mpi,
};

const WaitPattern send_progress{
    .id = "send_progress",
    .title = "Late Progress of a send",
    .summary =
        "A sender waited because MPI keeps such sends until their receiver is in MPI, which was computing.",
    .advice =
        "Send nonblocking and compute meanwhile, or let the receiver call MPI_Test now and then while it "
        "computes.",
    .rule =
        "enter of the receiver's next call - enter of the call that completes the send, without the "
        "receiver's time in MPI, if the send ended right then; behind that call's wait for a late sender. "
        "Sends like it hardly ever end while their receiver is outside MPI",
    .tells_cause = true,
    .in_scalasca = false,
    .waits_for = WaitsFor::Progress,
};

const WaitPattern collective_progress{
    .id = "collective_progress",
    .title = "Late Progress of a collective",
    .summary =
        "A process waited because a nonblocking collective operation goes on only while all are in MPI, and "
        "another one was computing.",
    .advice =
        "Let the late process call MPI_Test now and then while it computes, or let MPI use a thread for "
        "progress.",
    .rule =
        "enter of another one's call - max(last begin, own enter of the completion), without its time in "
        "MPI. "
        "The operation ended as long after that call as usual",
    .tells_cause = true,
    .in_scalasca = false,
    .waits_for = WaitsFor::Progress,
    .on_collective = wait_for_return,
};

}  // namespace waitdiag
