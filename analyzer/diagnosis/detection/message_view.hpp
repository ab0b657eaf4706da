// A message of the trace as the rules see it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/patterns/wait_pattern.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

inline CallTimes call_times(const Trace& trace, OpRef op) {
  return {trace.enter(op), trace.leave(op), trace.kind(op)};
}

// What the sender alone decides: the send, its mode and bytes.
inline MessageView send_side_of(const Trace& trace, const Message& message) {
  const MessageEnd& sent = send_end(trace, message);
  MessageView view;
  view.send = call_times(trace, {message.sender, sent.posted});
  view.mode = trace.region(trace.call_path({message.sender, sent.posted})).mode;
  view.bytes = sent.bytes;
  return view;
}

inline MessageView view_of(const Trace& trace, const Message& message) {
  const MessageEnd& sent = send_end(trace, message);
  const MessageEnd& received = receive_end(trace, message);
  MessageView view = send_side_of(trace, message);
  view.send_completion = sent.completed == kNoOp
                             ? CallTimes{view.send.leave, view.send.leave, CallKind::OtherMpi}
                             : call_times(trace, {message.sender, sent.completed});
  view.receive_request = call_times(trace, {message.receiver, received.posted});
  view.receive = call_times(trace, {message.receiver, received.completed});
  return view;
}

}  // namespace waitdiag
