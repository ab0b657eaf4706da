// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/detect_waits.hpp"

#include <algorithm>

#include "analyzer/diagnosis/detection/message_view.hpp"
#include "analyzer/diagnosis/detection/waited_until.hpp"
#include "analyzer/trace/sync/polling.hpp"

namespace waitdiag {
namespace {

class PollingDetection {
 public:
  PollingDetection(const Trace& trace, const SyncPoints& sync, Location location, DetectedWaits& found)
      : trace_(trace),
        sync_(sync),
        location_(location),
        timeline_(trace.timeline(location)),
        rows_(trace, location),
        next_(sync.first_received[index(location)]),
        found_(found) {}

  void run() {
    std::uint32_t iprobed_until = 0;
    for (std::uint32_t op = 0; op < timeline_.size(); ++op) {
      const CallKind kind = trace_.kind({location_, op});
      if (kind == CallKind::Probe) probe(op);
      if (rows_.ends_row(op)) tests(op);
      if (kind == CallKind::Iprobe && op >= iprobed_until) iprobed_until = iprobes(op) + 1;
    }
  }

 private:
  static constexpr std::uint32_t kNoMessage = kNoOp;
  OpRef send_of(std::uint32_t message) const {
    const Message& found = sync_.messages[message];
    return {found.sender, send_end(trace_, found).posted};
  }

  void add(const WaitPattern& pattern, std::uint32_t op, std::uint32_t message, Duration wait) {
    const OpRef cause = send_of(message);
    if (wait <= Duration::zero() || cause.location == location_) return;
    found_.waits.push_back({{location_, op}, cause, wait, message, id_of(pattern)});
  }

  // A probe leaves no record of the message it found: that is what is received next.
  std::uint32_t received_after(std::uint32_t op, std::uint32_t at_most) {
    const auto& receives = timeline_.receives();
    const auto received = std::partition_point(receives.begin(), receives.end(),
                                               [&](const MessageEnd& end) { return end.posted <= op; });
    if (received == receives.end() || (*received).posted > at_most) return kNoMessage;
    return message_of(static_cast<std::size_t>(received - receives.begin()));
  }

  void probe(std::uint32_t op) {
    const std::uint32_t message = received_after(op, kNoOp);
    if (message == kNoMessage) return;
    const OpRef victim{location_, op};
    // A probe ends when the message is there: if it was left before that, it found another message.
    add(wait_in_probe, op, message, waited_until(call_times(trace_, victim), trace_.enter(send_of(message))));
  }

  // In rows of MPI_Iprobe, only a message that is received immediately was certainly waited for. Returns the
  // last poll of the row.
  std::uint32_t iprobes(std::uint32_t first) {
    const std::uint32_t last = last_of_polls(trace_, location_, first);
    const bool found = trace_.kind({location_, last}) == CallKind::Iprobe;
    const std::uint32_t message = found ? received_after(last, last + 1) : kNoMessage;
    for (std::uint32_t op = rows_.first(first); op <= last && message != kNoMessage; ++op) {
      if (timeline_.is_row_of_polls(op))
        add(polling, op, message,
            waited_at_most_until(call_times(trace_, {location_, op}), trace_.enter(send_of(message))));
    }
    return last;
  }

  std::uint32_t message_of(std::size_t receive) {
    if (message_of_.empty()) {
      message_of_.assign(timeline_.receives().size(), kNoMessage);
      for (auto i = sync_.first_received[index(location_)]; i < sync_.first_received[index(location_) + 1];
           ++i)
        message_of_[sync_.messages[i].receive] = i;
    }
    return message_of_[receive];
  }

  // The message sent last among those that the call completed, up to `end`.
  std::uint32_t completed_by(std::uint32_t op, Time end) {
    std::uint32_t last = kNoMessage;
    for (; next_ < sync_.first_received[index(location_) + 1]; ++next_) {
      const std::uint32_t completed = receive_end(trace_, sync_.messages[next_]).completed;
      if (completed > op) break;
      if (completed < op) continue;
      if (last == kNoMessage || ends_later(next_, last, end)) last = next_;
    }
    return last;
  }
  bool ends_later(std::uint32_t message, std::uint32_t than, Time end) const {
    const Time sent = trace_.enter(send_of(message)), other = trace_.enter(send_of(than));
    if ((sent > end) != (other > end)) return other > end;
    return sent > end ? sent < other : sent > other;
  }

  // The row of tests that led to `last`, which completes a receive.
  void tests(std::uint32_t last) {
    const std::uint32_t end = rows_.end(last);
    const std::uint32_t message = completed_by(last, end > last ? Time::max() : timeline_.leave(end - 1));
    if (message == kNoMessage || !rows_.waits(last)) return;
    const Time sent = trace_.enter(send_of(message));
    for (std::uint32_t op = rows_.first(last); op < end; ++op)
      add(polling, op, message, waited_at_most_until(call_times(trace_, {location_, op}), sent));
  }

  const Trace& trace_;
  const SyncPoints& sync_;
  Location location_;
  const Timeline& timeline_;
  TestRows rows_;
  std::uint32_t next_;                     // of the messages received here, in the order of completion
  std::vector<std::uint32_t> message_of_;  // by receive; made when first asked for
  DetectedWaits& found_;
};

}  // namespace

bool looks_for_messages(const Trace& trace) {
  return std::ranges::any_of(trace.regions(), [](const Region& region) {
    return region.kind == CallKind::Probe || is_poll(region.kind);
  });
}

void detect_polling(const Trace& trace, const SyncPoints& sync, Location location, DetectedWaits& found) {
  PollingDetection(trace, sync, location, found).run();
}

}  // namespace waitdiag
