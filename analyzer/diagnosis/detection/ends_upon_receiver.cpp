// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/ends_upon_receiver.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <vector>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

constexpr Duration kClearly = std::chrono::microseconds(50);  // longer than the copy of a small message

// The call that ends only when the send has ended; not valid: there is none.
OpRef waiting_call(const Trace& trace, const Message& message) {
  using enum CallKind;
  const std::uint32_t op = send_end(trace, message).completed;
  if (op == kNoOp) return {};
  const OpRef call{message.sender, op};
  const CallKind kind = trace.kind(call);
  const bool waits = kind == Send || kind == Sendrecv || kind == Wait || kind == Waitany || kind == Waitall ||
                     kind == Waitsome;
  return waits ? call : OpRef{};
}

}  // namespace

HeldUntil held_until(const Trace& trace, const Message& message, SendCompletions& completions, Time from) {
  const OpRef call = waiting_call(trace, message);
  if (!call.valid()) return {};
  const std::span<const Time> enters = trace.timeline(message.receiver).enters();
  const auto behind = std::ranges::upper_bound(enters, trace.leave(call));
  const auto first = std::ranges::upper_bound(enters, trace.enter(call));
  if (behind == first) return {};
  const OpRef back{message.receiver, static_cast<std::uint32_t>(behind - enters.begin()) - 1};
  const Time since = std::max(from, completions.only_sends_since(message));
  if (trace.enter(back) <= since) return {};
  return {.call = call, .back = back, .wait = outside_mpi(trace, since, back)};
}

EndsUponReceiver::EndsUponReceiver(const Trace& trace, const SyncPoints& sync) : trace_(&trace) {
  std::vector<Endings::Counts> of_sender(trace.timelines().size());
  for_each_index(of_sender.size(), [&](std::size_t l) {
    SendCompletions completions(trace, sync, Location(l));
    for (const std::uint32_t i : sync.sent_by(Location(l)))
      count(sync.messages[i], completions, of_sender[l]);
  });
  for (const Endings::Counts& counts : of_sender) endings_.add(counts);
}

EndsUponReceiver::Kind EndsUponReceiver::kind_of(const Message& message) const {
  const MessageEnd& sent = send_end(*trace_, message);
  const CallPathId path = trace_->call_path({message.sender, sent.posted});
  return {trace_->call_paths()[index(path)].region, std::bit_width(sent.bytes)};
}

// Only while the receiver is outside of MPI, from before the send was posted on, does the end of a send say something.
void EndsUponReceiver::count(const Message& message, SendCompletions& completions,
                             Endings::Counts& counts) const {
  const OpRef call = waiting_call(*trace_, message);
  if (message.sender == message.receiver || !call.valid()) return;
  const Timeline& receiver = trace_->timeline(message.receiver);
  const auto next = static_cast<std::uint32_t>(
      std::ranges::upper_bound(receiver.enters(), trace_->enter(call)) - receiver.enters().begin());
  const Time posted = trace_->enter({message.sender, send_end(*trace_, message).posted});
  if (next == receiver.size() || (next > 0 && receiver.leave(next - 1) > posted)) return;
  if (receiver.enter(next) - trace_->enter(call) < kClearly) return;
  if (trace_->leave(call) < receiver.enter(next)) {
    ++counts[kind_of(message)].before;
    return;
  }
  const HeldUntil held = held_until(*trace_, message, completions);
  if (held.wait >= kClearly && left_upon(*trace_, call, held.back, held.wait))
    ++counts[kind_of(message)].upon_return;
}

bool EndsUponReceiver::any() const {
  return endings_.any_depends();
}

bool EndsUponReceiver::is_kept(const Message& message) const {
  return endings_.depends(kind_of(message));
}

}  // namespace waitdiag
