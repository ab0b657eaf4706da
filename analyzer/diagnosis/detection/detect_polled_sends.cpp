// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/detect_waits.hpp"

#include <algorithm>
#include <map>

#include "analyzer/diagnosis/detection/message_view.hpp"
#include "analyzer/diagnosis/detection/waited_until.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {

void detect_polled_sends(const Trace& trace, const SyncPoints& sync, Location location,
                         std::span<const std::uint8_t> needs_receiver, DetectedWaits& found) {
  const TestRows rows(trace, location, TestRows::EndsWith::AnyRequest);
  std::map<std::uint32_t, WaitState> longest;  // by test
  for (const std::uint32_t i : sync.sent_by(location)) {
    const Message& message = sync.messages[i];
    const std::uint32_t completed = send_end(trace, message).completed;
    if (needs_receiver[i] == 0 || completed == kNoOp || message.receiver == location) continue;
    if (!rows.ends_row(completed) || !rows.waits(completed)) continue;
    const OpRef receive{message.receiver, receive_end(trace, message).posted};
    const Time posted = trace.enter(receive);
    const std::uint32_t end = rows.end(completed);
    if (trace.leave({location, end - 1}) <= posted) continue;  // ended without the receiver
    for (std::uint32_t op = rows.first(completed); op < end; ++op) {
      const OpRef victim{location, op};
      const Duration wait = waited_at_most_until(call_times(trace, victim), posted);
      WaitState& known = longest[op];
      if (wait > known.wait) known = {victim, receive, wait, i, id_of(late_receiver_polling)};
    }
  }
  for (const WaitState& other : found.waits)
    if (other.pattern == id_of(polling)) longest.erase(other.victim.op);
  for (const auto& [op, wait] : longest)
    if (wait.wait > Duration::zero()) found.waits.push_back(wait);
}

}  // namespace waitdiag
