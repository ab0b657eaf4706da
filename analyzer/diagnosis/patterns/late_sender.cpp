// Late Sender: the receiver is already waiting when the matching send starts.
//
//   sender    ..................[== MPI_Send ==]
//   receiver  ....[~~~ waiting ~~~|= MPI_Recv =]
//
// For a nonblocking receive the waiting call is the Wait, so overlapped computation is not a wait. Test calls
// return at once and never wait.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analyzer/diagnosis/patterns/registry.hpp"

namespace waitdiag {
namespace {

constexpr bool waits_for_receive(CallKind kind) {
  using enum CallKind;
  return kind == Recv || kind == Sendrecv || kind == Wait || kind == Waitany || kind == Waitall ||
         kind == Waitsome;
}

Duration late_sender_wait(const MessageView& message) {
  if (!waits_for_receive(message.receive.kind)) return Duration::zero();
  return std::min(message.send.enter, message.receive.leave) - message.receive.enter;
}

}  // namespace

const WaitPattern late_sender{
    .id = "late_sender",
    .title = "Late Sender",
    .summary = "A receiver waited because the matching send had not started yet.",
    .advice =
        "Let the sender send earlier, or post the receive nonblocking and compute until the data is needed.",
    .rule =
        "min(enter of send, leave of receive) - enter of receive; Waitall and Waitsome: the longest only; "
        "Test calls: never",
    .scalasca_explains = true,
    .waits_for = WaitsFor::Message,
    .on_message = late_sender_wait,
};

const WaitPattern late_sender_wrong_order{
    .id = "late_sender_wrong_order",
    .part_of = "late_sender",
    .title = "Late Sender, wrong order",
    .summary = "A receiver waited for a late message while an earlier one was there to be received.",
    .advice = "Receive messages in the order they are sent, or from any source.",
    .rule =
        "late senders whose message was sent after one that is received later (the last 100 are remembered)",
    .waiting = false,
};

const WaitPattern wrong_order_same_source{
    .id = "late_sender_wrong_order_same_source",
    .part_of = "late_sender_wrong_order",
    .title = "Late Sender, wrong order, same source",
    .summary = "The earlier message that was there came from the same process.",
    .advice = "Send and receive with matching tags in the same order.",
    .rule = "as wrong order; both messages have one source",
    .waiting = false,
};

const WaitPattern wrong_order_different_source{
    .id = "late_sender_wrong_order_different_source",
    .part_of = "late_sender_wrong_order",
    .title = "Late Sender, wrong order, different source",
    .summary = "The earlier message that was there came from another process.",
    .advice = "Receive from any source, or with Waitany on several nonblocking receives.",
    .rule = "as wrong order; the messages have different sources",
    .waiting = false,
};

}  // namespace waitdiag
