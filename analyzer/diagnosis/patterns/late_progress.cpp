// Late Progress: data of large messages and of nonblocking collective operations moves only while both sides
// are in MPI. A process that started everything in time, but then computes, holds up those that already wait
// for it.
//
//   late one   [start]........ computes ........[= MPI_Wait =]
//   the others [start]..[~~~~~~~ waiting ~~~~~~~|= MPI_Wait =]
//
// Whether an implementation moves data in the background is not recorded. The times of leaving show it: a
// process had been in MPI_Wait for long, and left as soon as the other one was in MPI again.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "analyzer/diagnosis/patterns/left_upon.hpp"
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

// After all have started the operation, they wait for the last one to reach the call that completes it.
void wait_for_last_to_complete(const CollectiveView& view, std::vector<CollectiveWait>& found) {
  Time started = Time::min();
  std::vector<std::uint32_t> members;
  std::vector<Time> arrivals;
  for (std::uint32_t i = 0; i < view.participants.size(); ++i) {
    const Participant& participant = view.participants[i];
    started = std::max(started, participant.begin);
    arrivals.push_back(participant.back);
    members.push_back(i);
  }
  const LeftUpon upon(view, std::move(members), std::move(arrivals));
  for (std::uint32_t me = 0; me < view.participants.size(); ++me)
    upon.look_at(me, std::max(started, view.participants[me].waits_from), found);
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
        "A receiver waited because the data of a large message moves only while its sender is in MPI, which "
        "was computing.",
    .advice =
        "Let the sender call MPI_Test now and then while it computes, or let MPI use a thread for progress.",
    .rule =
        "enter of the send's completion - max(enter of receive, leave of send), if the send needs its "
        "receiver "
        "and the receive ended right then",
    .tells_cause = true,
    .in_scalasca = false,
    .waits_for = WaitsFor::Progress,
    .on_message = wait_for_sender_in_mpi,
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
        "last enter of another one's completion before own end - max(last begin, own enter of the "
        "completion), "
        "if that is what it left upon",
    .tells_cause = true,
    .in_scalasca = false,
    .waits_for = WaitsFor::Progress,
    .on_collective = wait_for_last_to_complete,
};

}  // namespace waitdiag
