// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/patterns/sendrecv_halves.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

namespace waitdiag {
namespace {

constexpr Duration kClearly = std::chrono::microseconds(50);  // later than what the call received
constexpr std::uint64_t kFewest = 4;                          // calls that tell
constexpr std::uint64_t kMostly = 3;  // times as many ended with their receiver as before

bool is_sendrecv(const Trace& trace, const Message& message) {
  return trace.kind({message.sender, send_end(trace, message).posted}) == CallKind::Sendrecv;
}

}  // namespace

SendrecvHalves::SendrecvHalves(const Trace& trace, const SyncPoints& sync) {
  const auto is_such = [](const Region& region) { return region.kind == CallKind::Sendrecv; };
  if (std::ranges::none_of(trace.regions(), is_such)) return;
  came_.resize(trace.timelines().size());
  for (const Message& message : sync.messages) {
    const std::uint32_t op = receive_end(trace, message).completed;
    if (op == kNoOp || trace.kind({message.receiver, op}) != CallKind::Sendrecv) continue;
    std::vector<Time>& here = came_[index(message.receiver)];
    if (here.empty()) here.resize(trace.timeline(message.receiver).size(), Time::min());
    here[op] = std::max(here[op], trace.enter({message.sender, send_end(trace, message).posted}));
  }
  struct Ended {
    std::uint64_t before = 0, with = 0;  // its receiver came
  };
  std::array<Ended, kSizeClasses> ended{};
  for (const Message& message : sync.messages) {
    if (!is_sendrecv(trace, message) || message.sender == message.receiver) continue;
    const OpRef call{message.sender, send_end(trace, message).posted};
    const Time posted = trace.enter({message.receiver, receive_end(trace, message).posted});
    if (posted - std::max(trace.enter(call), came(trace, message)) < kClearly) continue;
    Ended& here = ended[std::bit_width(send_end(trace, message).bytes)];
    ++(trace.leave(call) < posted ? here.before : here.with);
  }
  for (std::size_t size = 0; size < kSizeClasses; ++size)
    held_[size] = ended[size].with >= kFewest && ended[size].with >= kMostly * ended[size].before;
}

Time SendrecvHalves::came(const Trace& trace, const Message& message) const {
  const std::vector<Time>& here = came_[index(message.sender)];
  return here.empty() ? Time::min() : here[send_end(trace, message).posted];
}

bool SendrecvHalves::is_held(const Trace& trace, const Message& message) const {
  return !came_.empty() && is_sendrecv(trace, message) &&
         held_[std::bit_width(send_end(trace, message).bytes)];
}

Duration SendrecvHalves::waited_for_receiver(const Trace& trace, const Message& message) const {
  if (came_.empty() || !is_sendrecv(trace, message)) return Duration::zero();
  const OpRef call{message.sender, send_end(trace, message).posted};
  const Time posted = trace.enter({message.receiver, receive_end(trace, message).posted});
  if (trace.leave(call) <= posted) return Duration::zero();  // ended without the receiver
  return posted - std::max(trace.enter(call), came(trace, message));
}

}  // namespace waitdiag
