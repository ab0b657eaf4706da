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

// Not valid: the send does not block.
OpRef blocking_send(const Trace& trace, const Message& message) {
  const MessageEnd& sent = send_end(trace, message);
  const OpRef send{message.sender, sent.posted};
  return sent.completed == sent.posted && trace.kind(send) == CallKind::Send ? send : OpRef{};
}

}  // namespace

OpRef receiver_back(const Trace& trace, const Message& message) {
  const OpRef send = blocking_send(trace, message);
  if (!send.valid()) return {};
  const std::span<const Time> enters = trace.timeline(message.receiver).enters();
  const auto behind = std::ranges::upper_bound(enters, trace.leave(send));
  const auto first = std::ranges::upper_bound(enters, trace.enter(send));
  if (behind == first) return {};
  return {message.receiver, static_cast<std::uint32_t>(behind - enters.begin()) - 1};
}

EndsUponReceiver::EndsUponReceiver(const Trace& trace, const SyncPoints& sync) : trace_(&trace) {
  std::vector<Endings::Counts> of_sender(trace.timelines().size());
  for_each_index(of_sender.size(), [&](std::size_t l) {
    for (const std::uint32_t i : sync.sent_by(Location(l))) count(sync.messages[i], of_sender[l]);
  });
  for (const Endings::Counts& counts : of_sender) endings_.add(counts);
}

EndsUponReceiver::Kind EndsUponReceiver::kind_of(const Message& message) const {
  const MessageEnd& sent = send_end(*trace_, message);
  const CallPathId path = trace_->call_path({message.sender, sent.posted});
  return {trace_->call_paths()[index(path)].region, std::bit_width(sent.bytes)};
}

// Only while the receiver is outside of MPI does the end of a send say something.
void EndsUponReceiver::count(const Message& message, Endings::Counts& counts) const {
  const OpRef send = blocking_send(*trace_, message);
  if (message.sender == message.receiver || !send.valid()) return;
  const Timeline& receiver = trace_->timeline(message.receiver);
  const auto next = static_cast<std::uint32_t>(
      std::ranges::upper_bound(receiver.enters(), trace_->enter(send)) - receiver.enters().begin());
  if (next == receiver.size() || (next > 0 && receiver.leave(next - 1) > trace_->enter(send))) return;
  if (receiver.enter(next) - trace_->enter(send) < kClearly) return;
  if (trace_->leave(send) < receiver.enter(next)) {
    ++counts[kind_of(message)].before;
    return;
  }
  const OpRef back = receiver_back(*trace_, message);
  if (left_upon(*trace_, send, back, outside_mpi(*trace_, trace_->enter(send), back)))
    ++counts[kind_of(message)].upon_return;
}

bool EndsUponReceiver::any() const {
  return endings_.any_depends();
}

bool EndsUponReceiver::is_kept(const Message& message) const {
  return endings_.depends(kind_of(message));
}

}  // namespace waitdiag
