// Late Receiver: a send that needs its receiver (rendezvous) starts before the receive is posted.
//
//   sender    ....[~~~ waiting ~~~|= MPI_Send =]
//   receiver  ....................[== MPI_Recv ==]
//
// Blocking Send and Ssend wait themselves, nonblocking sends in their Wait. Bsend and Rsend never wait, by
// definition. Sendrecv waits for its receiver behind its sender (SendCompletions). Applied only to sends that need
// their receiver (EagerSends, HeldSends).
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

bool waits_for_send(const MessageView& message) {
  using enum CallKind;
  switch (message.send_completion.kind) {
    case Send:
      return message.mode == SendMode::Standard || message.mode == SendMode::Synchronous;
    case Wait:
    case Waitany:
    case Waitall:
    case Waitsome:
      return true;
    default:
      return false;
  }
}

Duration late_receiver_wait(const MessageView& message) {
  const Time posted = message.receive_request.enter;
  if (!waits_for_send(message)) return Duration::zero();
  if (message.send_completion.leave <= posted) return Duration::zero();  // ended without the receiver
  return posted - message.send_completion.enter;
}

}  // namespace

const WaitPattern late_receiver{
    .id = "late_receiver",
    .title = "Late Receiver",
    .summary = "A sender waited because the receive it needed had not been posted yet.",
    .advice = "Post the receive earlier (MPI_Irecv), or send nonblocking and compute meanwhile.",
    .rule =
        "enter of receive request - enter of send completion, if the send ended after the request and needed "
        "it: synchronous, larger than the eager limit, far slower than other sends of its size, or held by "
        "MPI (calls like it hardly ever end before their receiver comes); in MPI_Sendrecv, and if it is "
        "held, only behind its wait for a late sender",
    .tells_cause = true,
    .scalasca_explains = true,
    .waits_for = WaitsFor::Rendezvous,
    .on_message = late_receiver_wait,
};

const WaitPattern late_receiver_possible{
    .id = "late_receiver_possible",
    .part_of = "late_receiver",
    .title = "Late Receiver, possible",
    .summary = "The send was small enough to end without its receiver, but took far longer than usual.",
    .advice =
        "Buffers or credits of the MPI library may have been used up: post receives earlier, or send less at "
        "once.",
    .rule =
        "as late receiver; the send is not synchronous, not larger than the eager limit; it took more than "
        "5 times the median of the blocking sends of its size class (at least 8)",
    .waiting = false,
    .in_scalasca = false,
};

}  // namespace waitdiag
