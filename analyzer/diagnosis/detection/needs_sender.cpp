// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/needs_sender.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {

OpRef sender_back(const Trace& trace, const Message& message) {
  const MessageEnd& sent = send_end(trace, message);
  if (sent.completed == kNoOp || sent.completed == sent.posted) return {};
  const Time end = trace.leave({message.receiver, receive_end(trace, message).completed});
  const auto enters =
      trace.timeline(message.sender).enters().subspan(sent.posted + 1, sent.completed - sent.posted);
  const auto count = static_cast<std::uint32_t>(std::ranges::upper_bound(enters, end) - enters.begin());
  return count == 0 ? OpRef{} : OpRef{message.sender, sent.posted + count};
}

NeedsSender::NeedsSender(const Trace& trace, const SyncPoints& sync) : trace_(&trace) {
  std::vector<Endings::Counts> of_receiver(trace.timelines().size());
  for_each_index(of_receiver.size(), [&](std::size_t l) {
    for (const Message& message : sync.received_by(Location(l))) count(message, of_receiver[l]);
  });
  for (const Endings::Counts& counts : of_receiver) endings_.add(counts);
}

NeedsSender::Kind NeedsSender::kind_of(const Message& message) const {
  const MessageEnd& sent = send_end(*trace_, message);
  const CallPathId path = trace_->call_path({message.sender, sent.posted});
  return {message.sender, trace_->call_paths()[index(path)].region, std::bit_width(sent.bytes)};
}

// Only a receive that waited already says something, while the sender was outside MPI.
void NeedsSender::count(const Message& message, Endings::Counts& counts) const {
  const MessageEnd& sent = send_end(*trace_, message);
  if (message.sender == message.receiver || sent.completed == kNoOp || sent.completed == sent.posted) return;
  const OpRef receive{message.receiver, receive_end(*trace_, message).completed};
  if (!completes_requests(trace_->kind(receive)) || is_test(trace_->kind(receive))) return;
  const OpRef next{message.sender, sent.posted + 1};
  const Time from = std::max(trace_->leave({message.sender, sent.posted}), trace_->enter(receive));
  const Time back = trace_->enter(next), end = trace_->leave(receive);
  if (back <= from || end <= from) return;
  if (end < back)
    ++counts[kind_of(message)].before;
  else if (left_upon(*trace_, receive, next, back - from))
    ++counts[kind_of(message)].upon_return;
}

bool NeedsSender::after_send(const Message& message) const {
  return endings_.depends(kind_of(message));
}

}  // namespace waitdiag
