// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/held_sends.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>

#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/rules.hpp"

namespace waitdiag {
namespace {

constexpr Duration kClearly = std::chrono::microseconds(50);  // later than what the call received
constexpr std::uint64_t kFewest = 4;                          // calls that tell
constexpr std::uint64_t kMostly = 3;  // times as many ended with their receiver as before

bool waits_for_sends(CallKind completion) {
  using enum CallKind;
  return completion == Sendrecv || completion == Wait || completion == Waitany || completion == Waitall ||
         completion == Waitsome;
}

// The call that completes a send, if that waits for it.
OpRef waiting_call(const Trace& trace, const Message& message) {
  const OpRef call{message.sender, send_end(trace, message).completed};
  return call.op != kNoOp && waits_for_sends(trace.kind(call)) ? call : OpRef{message.sender, kNoOp};
}

struct Endings {
  std::uint64_t before = 0, with = 0;  // its receiver came

  // It was outside of MPI from before the send until it posted the receive, long after all else had come.
  void look_at(const Trace& trace, const Message& message, SendCompletions& completions) {
    const OpRef call = waiting_call(trace, message);
    if (call.op == kNoOp || trace.leave(call) - trace.enter(call) < kClearly)
      return;  // mostly; saves the rest
    const OpRef receive{message.receiver, receive_end(trace, message).posted};
    const Time posted = trace.enter(receive);
    if (posted - trace.enter(call) < kClearly) return;
    const Time sent = trace.enter({message.sender, send_end(trace, message).posted});
    if (receive.op > 0 && trace.leave({receive.location, receive.op - 1}) > sent) return;
    if (trace.leave(call) < posted) {
      ++before;
      return;
    }
    const Duration waited = posted - completions.only_sends_since(message);
    if (waited >= kClearly && is_soon(trace.leave(call) - posted, waited)) ++with;
  }
};

}  // namespace

Time SendCompletions::only_sends_since(const Message& message) {
  const OpRef call{sender_, send_end(trace_, message).completed};
  if (came_.empty()) {
    came_.assign(trace_.timeline(sender_).size(), Time::min());
    for (const Message& received : sync_.received_by(sender_)) {
      const std::uint32_t op = receive_end(trace_, received).completed;
      if (op == kNoOp || !waits_for_sends(trace_.kind({sender_, op}))) continue;
      const Time sent = trace_.enter({received.sender, send_end(trace_, received).posted});
      came_[op] = std::max(came_[op], sent);
    }
  }
  return std::max(trace_.enter(call), came_[call.op]);
}

Duration SendCompletions::waited_for_receiver(const Message& message) {
  const OpRef call = waiting_call(trace_, message);
  if (call.op == kNoOp) return Duration::zero();
  const Time posted = trace_.enter({message.receiver, receive_end(trace_, message).posted});
  if (trace_.leave(call) <= posted || posted <= trace_.enter(call)) return Duration::zero();
  return posted - only_sends_since(message);
}

HeldSends::Kind HeldSends::kind_of(const Trace& trace, const Message& message) {
  const MessageEnd& sent = send_end(trace, message);
  return {trace.kind({message.sender, sent.posted}), std::bit_width(sent.bytes)};
}

HeldSends::HeldSends(const Trace& trace, const SyncPoints& sync) {
  std::vector<std::map<Kind, Endings>> by_sender(trace.timelines().size());
  for_each_index(by_sender.size(), [&](std::size_t l) {
    SendCompletions completions(trace, sync, Location(l));
    for (const std::uint32_t i : sync.sent_by(Location(l))) {
      const Message& message = sync.messages[i];
      if (message.sender == message.receiver) continue;
      Endings one;
      one.look_at(trace, message, completions);
      if (one.before + one.with == 0) continue;
      Endings& like_it = by_sender[l][kind_of(trace, message)];
      like_it.before += one.before;
      like_it.with += one.with;
    }
  });
  std::map<Kind, Endings> all;
  for (const auto& of_sender : by_sender) {
    for (const auto& [kind, endings] : of_sender) {
      all[kind].before += endings.before;
      all[kind].with += endings.with;
    }
  }
  for (const auto& [kind, endings] : all)
    if (endings.with >= kFewest && endings.with >= kMostly * endings.before) held_.insert(kind);
}

bool HeldSends::is_held(const Trace& trace, const Message& message) const {
  return !held_.empty() && waiting_call(trace, message).op != kNoOp &&
         held_.contains(kind_of(trace, message));
}

}  // namespace waitdiag
