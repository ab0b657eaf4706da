// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/eager_sends.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/detection/message_view.hpp"
#include "analyzer/trace/model/clock_error.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

constexpr std::uint64_t kAlwaysEagerBytes = 1024;
constexpr std::size_t kEnoughSends = 8;
constexpr int kStuckFactor = 5;

std::size_t size_class(std::uint64_t bytes) {
  return static_cast<std::size_t>(std::bit_width(bytes));
}

bool is_eager_mode(SendMode mode) {
  return mode == SendMode::Standard || mode == SendMode::Ready;
}

// Learns from sends that completed before their receive was posted, by more than the uncertainty of the
// clocks.
std::uint64_t learn_limit(const Trace& trace, const SyncPoints& sync) {
  std::vector<std::uint64_t> limits(trace.timelines().size(), kAlwaysEagerBytes);  // by receiver
  const Duration error = clock_error(trace);
  for_each_index(limits.size(), [&](std::size_t l) {
    for (const Message& message : sync.received_by(Location(l))) {
      const MessageEnd& sent = send_end(trace, message);
      if (sent.bytes <= limits[l] || sent.completed == kNoOp) continue;
      const MessageView view = view_of(trace, message);
      const Duration before = view.receive_request.enter - view.send_completion.leave;
      if (!is_eager_mode(view.mode) || before < Duration::zero()) continue;
      if (before >= uncertainty_between(trace, message.sender, Location(l), error)) limits[l] = sent.bytes;
    }
  });
  return *std::max_element(limits.begin(), limits.end());
}

Duration median_length(std::vector<Duration>& lengths) {
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

}  // namespace

EagerSends::EagerSends(const Trace& trace, const SyncPoints& sync, std::uint64_t threshold_bytes)
    : limit_bytes_(threshold_bytes > 0 ? threshold_bytes : learn_limit(trace, sync)),
      limit_from_(threshold_bytes > 0                ? EagerLimit::Given
                  : limit_bytes_ > kAlwaysEagerBytes ? EagerLimit::Learnt
                                                     : EagerLimit::Assumed) {
  std::vector<std::vector<std::pair<std::size_t, Duration>>> blocking(trace.timelines().size());
  for_each_index(blocking.size(), [&](std::size_t l) {
    const Timeline& timeline = trace.timelines()[l];
    for (const std::uint32_t message : sync.sent_by(Location(l))) {
      const MessageEnd& sent = timeline.sends()[sync.messages[message].send];
      if (sent.bytes <= limit_bytes_ && trace.kind({Location(l), sent.posted}) == CallKind::Send)
        blocking[l].emplace_back(size_class(sent.bytes), timeline.length(sent.posted));
    }
  });
  std::array<std::vector<Duration>, kSizeClasses> lengths;
  for (const auto& of_location : blocking) {
    for (const auto& [size, length] : of_location) lengths[size].push_back(length);
  }
  for (std::size_t i = 0; i < kSizeClasses; ++i) {
    stuck_after_[i] =
        lengths[i].size() < kEnoughSends ? Duration::max() : kStuckFactor * median_length(lengths[i]);
  }
}

bool EagerSends::completes_locally(const MessageView& message) const {
  if (message.mode == SendMode::Synchronous) return false;
  if (message.mode == SendMode::Buffered) return true;
  return message.bytes <= limit_bytes_ && !was_stuck(message);
}

bool EagerSends::was_stuck(const MessageView& message) const {
  return is_eager_mode(message.mode) && message.bytes <= limit_bytes_ &&
         message.send.kind == CallKind::Send &&
         message.send.leave - message.send.enter > stuck_after_[size_class(message.bytes)];
}

}  // namespace waitdiag
