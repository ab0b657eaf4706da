// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/clocks.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>

namespace waitdiag {
namespace {

// The fastest message from one node to another, in ns.
using FastestMessages = std::map<std::string, std::map<std::string, std::int64_t>>;

FastestMessages fastest_messages(const Trace& trace, const SyncPoints& sync, std::uint64_t& contradicting) {
  FastestMessages fastest;
  for (const Message& message : sync.messages) {
    if (!is_whole(trace, message)) continue;
    const MessageEnd &sent = send_end(trace, message), &received = receive_end(trace, message);
    const std::int64_t took =
        (trace.leave({message.receiver, received.completed}) - trace.enter({message.sender, sent.posted}))
            .count();
    if (took < 0) ++contradicting;
    const std::string &from = trace.locations()[index(message.sender)].node,
                      &to = trace.locations()[index(message.receiver)].node;
    if (from == to) continue;
    const auto [entry, first] = fastest[from].try_emplace(to, took);
    if (!first) entry->second = std::min(entry->second, took);
  }
  return fastest;
}

}  // namespace

ClockOffsets clock_offsets(const Trace& trace, const SyncPoints& sync) {
  ClockOffsets offsets;
  const FastestMessages fastest = fastest_messages(trace, sync, offsets.contradicting);
  offsets.ahead_ns.assign(trace.locations().size(), 0);
  if (offsets.contradicting == 0) return offsets;
  std::map<std::string, std::int64_t> ahead;
  for (const LocationInfo& start : trace.locations()) {
    if (!ahead.try_emplace(start.node, 0).second) continue;
    for (std::deque<std::string> next{start.node}; !next.empty(); next.pop_front()) {
      const auto from = fastest.find(next.front());
      if (from == fastest.end()) continue;
      for (const auto& [to, there] : from->second) {
        const auto back = fastest.find(to);
        if (ahead.contains(to) || back == fastest.end() || !back->second.contains(next.front())) continue;
        ahead[to] = ahead[next.front()] + (there - back->second.at(next.front())) / 2;
        next.push_back(to);
      }
    }
  }
  for (std::size_t l = 0; l < offsets.ahead_ns.size(); ++l)
    offsets.ahead_ns[l] = ahead[trace.locations()[l].node];
  return offsets;
}

}  // namespace waitdiag
