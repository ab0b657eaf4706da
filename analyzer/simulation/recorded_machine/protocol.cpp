// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/protocol.hpp"

#include <algorithm>
#include <map>

#include "analyzer/diagnosis/detection/eager_sends.hpp"
#include "analyzer/simulation/calibration/piecewise_fit.hpp"

namespace waitdiag {
namespace {

constexpr std::uint64_t kLearnt = 0;  // EagerSends: no limit given
constexpr std::size_t kEnoughSendCalls = 4;
constexpr double kNoTime = 1;  // ns: what a clock shows for something that takes no time

using TimesBySize = std::map<std::uint64_t, std::vector<double>>;

// MPI_Ssend and the like wait for their receivers whatever the size.
bool is_synchronous(const Trace& trace, OpRef posted) {
  return trace.region(trace.call_path(posted)).mode == SendMode::Synchronous;
}

// A send that was still waiting when its receive came, and ended after that. A call that completes several
// requests may have waited for another one.
bool waits_for_receiver(const Trace& trace, const Message& message) {
  const MessageEnd &sent = send_end(trace, message), &received = receive_end(trace, message);
  if (sent.completed == kNoOp || received.posted == kNoOp) return false;
  if (is_synchronous(trace, {message.sender, sent.posted})) return false;
  const CallKind kind = trace.kind({message.sender, sent.completed});
  if (kind != CallKind::Send && kind != CallKind::Wait) return false;
  const Time posted = trace.enter({message.receiver, received.posted});
  return trace.enter({message.sender, sent.completed}) < posted &&
         posted <= trace.leave({message.sender, sent.completed});
}

std::uint64_t detached_limit(std::span<const MatchedRun> runs) {
  std::uint64_t goes_on = 0, waits = UINT64_MAX;
  for (const MatchedRun& run : runs) {
    const std::uint64_t limit = EagerSends(run.trace, run.sync, kLearnt).limit_bytes();
    goes_on = std::max(goes_on, limit);
    for (const Message& message : run.sync.messages) {
      const std::uint64_t bytes = send_end(run.trace, message).bytes;
      if (bytes > limit && waits_for_receiver(run.trace, message)) waits = std::min(waits, bytes);
    }
  }
  if (waits == UINT64_MAX || waits <= goes_on) return UINT64_MAX;
  return goes_on < kUsuallyDetached && kUsuallyDetached < waits ? kUsuallyDetached : goes_on;
}

LinearPiece line_through(TimesBySize& times) {
  std::vector<TimedSize> medians;
  for (auto& [bytes, all] : times) {
    if (all.size() < kEnoughSendCalls) continue;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    medians.push_back({bytes, std::max(kNoTime / 2, *middle), 0});
  }
  if (std::ranges::all_of(medians, [](const TimedSize& one) { return one.ns <= kNoTime; })) return {};
  return fit_line(medians);
}

}  // namespace

RecordedProtocol protocol_of(std::span<const MatchedRun> runs, std::optional<std::uint64_t> detached_bytes) {
  RecordedProtocol protocol{.detached_bytes = detached_bytes ? *detached_bytes : detached_limit(runs)};
  TimesBySize sends, isends;
  for (const MatchedRun& run : runs)
    for (const Message& message : run.sync.messages) {
      const MessageEnd& sent = send_end(run.trace, message);
      if (sent.posted == kNoOp || sent.bytes > protocol.detached_bytes) continue;
      const OpRef call{message.sender, sent.posted};
      const CallKind kind = run.trace.kind(call);
      if (kind != CallKind::Send && kind != CallKind::Isend) continue;
      if (is_synchronous(run.trace, call)) continue;
      (kind == CallKind::Send ? sends : isends)[sent.bytes].push_back(
          static_cast<double>((run.trace.leave(call) - run.trace.enter(call)).count()));
    }
  LinearPiece send = line_through(sends), isend = line_through(isends);
  if (sends.empty()) send = isend;
  if (isends.empty()) isend = send;
  if (send.fixed_ns + send.ns_per_byte + isend.fixed_ns + isend.ns_per_byte > 0)
    protocol.overheads.push_back({.send_ns = send.fixed_ns,
                                  .send_ns_per_byte = send.ns_per_byte,
                                  .isend_ns = isend.fixed_ns,
                                  .isend_ns_per_byte = isend.ns_per_byte});
  return protocol;
}

}  // namespace waitdiag
