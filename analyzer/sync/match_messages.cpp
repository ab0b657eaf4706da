// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/sync/match_messages.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <tuple>

namespace waitdiag {
namespace {

// One end of a message on its way into a pair.
struct End {
  Rank sender = kNoRank;
  CommId comm = kNoComm;
  std::int32_t tag = 0;
  Location location{};
  std::uint32_t index = 0;

  auto channel() const { return std::tie(sender, comm, tag); }
};

// The sends towards every rank, of each sender in sending order.
std::vector<std::vector<End>> sends_by_receiver(const Trace& trace, const RankLocations& locations) {
  std::vector<std::vector<End>> result(trace.ranks());
  for (std::size_t rank = 0; rank < locations.size(); ++rank) {
    for_each_in_time_order(
        locations[rank], [&](Location location) -> auto& { return trace.timeline(location).sends(); },
        [](Location, const MessageEnd& end) { return end.time; },
        [&](Location location, std::uint32_t i) {
          const MessageEnd& end = trace.timeline(location).sends()[i];
          if (end.cancelled) return;
          result[index(end.peer)].push_back({Rank(rank), end.comm, end.tag, location, i});
        });
  }
  return result;
}

// The completed receives of one rank in posting order. A receive that was never completed took no message we
// know of.
std::vector<End> receives_of(const Trace& trace, const std::vector<Location>& threads) {
  std::vector<End> result;
  for_each_in_time_order(
      threads, [&](Location location) -> auto& { return trace.timeline(location).receives(); },
      [&](Location location, const MessageEnd& end) { return trace.timeline(location).enter(end.posted); },
      [&](Location location, std::uint32_t i) {
        const MessageEnd& end = trace.timeline(location).receives()[i];
        if (end.cancelled || end.completed == kNoOp) return;
        result.push_back({end.peer, end.comm, end.tag, location, i});
      });
  return result;
}

// What does not fit: how often, how much time it touches, where first.
struct Misfit {
  std::uint64_t count = 0;
  Duration time{};
  std::string first;

  void add(const Trace& trace, Location location, Time when, Duration length) {
    if (count++ == 0) {
      char place[80];
      std::snprintf(place, sizeof place, "first on rank %d at %.6f s", static_cast<int>(trace.rank(location)),
                    seconds(when - trace.begin()));
      first = place;
    }
    time += length;
  }
  void report(Anomalies& anomalies, const char* id, Gravity gravity, const char* what,
              const char* time_is) const {
    if (count == 0) return;
    char amount[80];
    std::snprintf(amount, sizeof amount, " (%.6f s %s); ", seconds(time), time_is);
    anomalies.add(id, gravity, what + std::string(amount) + first, count);
  }
};

class Matching {
 public:
  Matching(const Trace& trace, SyncPoints& sync) : trace_(trace), sync_(sync) {}

  // Both lists sorted by channel; inside a channel the n-th send belongs to the n-th receive.
  void join(const std::vector<End>& sends, const std::vector<End>& receives) {
    auto send = sends.begin();
    auto receive = receives.begin();
    while (send != sends.end() || receive != receives.end()) {
      if (receive == receives.end() || (send != sends.end() && send->channel() < receive->channel())) {
        lonely_send(*send++);
      } else if (send == sends.end() || receive->channel() < send->channel()) {
        lonely_receive(*receive++);
      } else {
        pair(*send++, *receive++);
      }
    }
  }

  void report() {
    Anomalies& anomalies = sync_.anomalies;
    unreceived_.report(anomalies, "unmatched_sends", Gravity::Warning,
                       "messages were sent but never received", "in the sending calls");
    unsent_.report(anomalies, "unmatched_receives", Gravity::Serious,
                   "messages were received that nobody sent: their waits are unknown",
                   "in the receiving calls");
    bytes_.report(anomalies, "message_bytes_differ", Gravity::Warning,
                  "messages grew on their way: sends and receives were probably paired wrongly",
                  "in the receiving calls");
    clock_.report(anomalies, "clock_violations", Gravity::Warning,
                  "messages were received before they were sent: the clocks disagree", "apart in total");
  }

 private:
  void lonely_send(const End& send) {
    const Timeline& timeline = trace_.timeline(send.location);
    const MessageEnd& end = timeline.sends()[send.index];
    unreceived_.add(trace_, send.location, end.time, timeline.length(end.posted));
  }
  void lonely_receive(const End& receive) {
    const Timeline& timeline = trace_.timeline(receive.location);
    const MessageEnd& end = timeline.receives()[receive.index];
    unsent_.add(trace_, receive.location, end.time, timeline.length(end.completed));
  }
  void pair(const End& send, const End& receive) {
    const Timeline& receiver = trace_.timeline(receive.location);
    const MessageEnd& sent = trace_.timeline(send.location).sends()[send.index];
    const MessageEnd& received = receiver.receives()[receive.index];
    if (received.bytes > sent.bytes) {
      bytes_.add(trace_, receive.location, received.time, receiver.length(received.completed));
    }
    if (received.time < sent.time)
      clock_.add(trace_, receive.location, received.time, sent.time - received.time);
    sync_.messages.push_back({send.location, send.index, receive.location, receive.index});
  }

  const Trace& trace_;
  SyncPoints& sync_;
  Misfit unreceived_, unsent_, bytes_, clock_;
};

void sort_by_channel(std::vector<End>& ends) {
  std::stable_sort(ends.begin(), ends.end(),
                   [](const End& a, const End& b) { return a.channel() < b.channel(); });
}

}  // namespace

void match_messages(const Trace& trace, const RankLocations& locations, SyncPoints& sync) {
  std::size_t most = 0;
  for (const Timeline& timeline : trace.timelines()) most += timeline.receives().size();
  sync.messages.reserve(most);

  Matching matching(trace, sync);
  std::vector<std::vector<End>> sends = sends_by_receiver(trace, locations);
  for (std::size_t rank = 0; rank < locations.size(); ++rank) {
    std::vector<End> receives = receives_of(trace, locations[rank]);
    sort_by_channel(sends[rank]);
    sort_by_channel(receives);
    matching.join(sends[rank], receives);
    std::vector<End>().swap(sends[rank]);
  }
  matching.report();
}

}  // namespace waitdiag
