// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/derived/ordered_receives.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/trace/derived/retiming.hpp"

namespace waitdiag {

class Retiming::OrderingReceives {
 public:
  static std::optional<Trace> by_sender(const Trace& trace) {
    return changed(trace, [](const Timeline& timeline, std::span<MessageEnd> receives, Location) {
      return order(timeline, receives);
    });
  }
  static std::optional<Trace> by_arrival(const Trace& trace, const Trace& replayed) {
    const SendTimes sent(replayed);
    return changed(trace, [&](const Timeline& timeline, std::span<MessageEnd> receives, Location location) {
      return order_by_arrival(timeline, receives, trace.rank(location), sent);
    });
  }

 private:
  template <typename Order>
  static std::optional<Trace> changed(const Trace& trace, const Order& order) {
    if (std::ranges::none_of(trace.timelines(), has_any_source)) return std::nullopt;  // most traces: no copy
    Trace result(trace);
    bool any = false;
    for (std::size_t l = 0; l < result.timelines_.size(); ++l) {
      Timeline& timeline = result.timelines_[l];
      std::vector<MessageEnd> receives(timeline.receives_.begin(), timeline.receives_.end());
      if (!order(timeline, receives, Location(l))) continue;
      any = true;
      for (std::size_t i = 0; i < receives.size(); ++i) timeline.receives_.set(i, receives[i]);
      timeline.receives_.trim();
    }
    if (!any) return std::nullopt;
    return result;
  }
  static bool has_any_source(const Timeline& timeline) {
    return std::ranges::any_of(timeline.receives(), &MessageEnd::any_source);
  }

  // When messages are sent to ranks that receive from any source, in order.
  class SendTimes {
   public:
    explicit SendTimes(const Trace& trace) {
      std::vector<bool> from_any;  // by location
      for (const Timeline& timeline : trace.timelines()) from_any.push_back(has_any_source(timeline));
      for (std::size_t l = 0; l < trace.timelines().size(); ++l) {
        const Timeline& timeline = trace.timelines()[l];
        for (const MessageEnd& end : timeline.sends())
          if (!end.cancelled && end.posted != kNoOp && from_any[index(trace.main_location(end.peer))])
            times_[{trace.rank(Location(l)), end.peer, end.comm, end.tag}].push_back(
                timeline.enter(end.posted));
      }
    }
    // The `nth` message to `to` that is like `end`; it is never sent: the last possible time.
    Time of(const MessageEnd& end, Rank to, std::size_t nth) const {
      const auto found = times_.find({end.peer, to, end.comm, end.tag});
      return found == times_.end() || nth >= found->second.size() ? Time::max() : found->second[nth];
    }

   private:
    std::map<std::tuple<Rank, Rank, CommId, std::int32_t>, std::vector<Time>> times_;
  };

  struct Arrival {
    Time sent{};
    Rank peer{};
    std::uint64_t bytes = 0;
    friend auto operator<=>(const Arrival&, const Arrival&) = default;
  };

  static bool order_by_arrival(const Timeline& timeline, std::span<MessageEnd> receives, Rank rank,
                               const SendTimes& sent) {
    std::map<std::tuple<Rank, CommId, std::int32_t>, std::size_t> nth;
    std::map<Like, std::vector<std::pair<MessageEnd*, Arrival>>> alike;
    for (MessageEnd& end : receives) {
      if (end.cancelled || end.posted == kNoOp) continue;
      const Time time = sent.of(end, rank, nth[{end.peer, end.comm, end.tag}]++);
      if (end.any_source) alike[like(timeline, end)].push_back({&end, {time, end.peer, end.bytes}});
    }
    bool any = false;
    for (auto& [key, ends] : alike) {
      std::vector<Arrival> arrivals;
      for (const auto& [end, arrival] : ends) arrivals.push_back(arrival);
      std::ranges::stable_sort(arrivals);
      for (std::size_t i = 0; i < ends.size(); ++i) {
        MessageEnd& end = *ends[i].first;
        any = any || end.peer != arrivals[i].peer;
        end.peer = arrivals[i].peer;
        end.bytes = arrivals[i].bytes;
      }
    }
    return any;
  }

  // Do both belong to one series, whose members could have got each other's messages?
  static bool continues(const Timeline& timeline, const MessageEnd& before, const MessageEnd& end) {
    const bool blocking = before.completed == before.posted && end.completed == end.posted;
    return end.any_source && before.any_source && !end.cancelled && !before.cancelled &&
           end.posted == before.posted + 1 && (blocking || end.completed == before.completed) &&
           like(timeline, before) == like(timeline, end);
  }

  // What receives have in common that could get each other's messages.
  using Like = std::tuple<CallPathId, CommId, std::int32_t>;
  static Like like(const Timeline& timeline, const MessageEnd& end) {
    return {timeline.call_path(end.posted), end.comm, end.tag};
  }

  static bool order(const Timeline& timeline, std::span<MessageEnd> ends) {
    std::map<Like, std::vector<std::span<MessageEnd>>> series;
    for (std::size_t first = 0, end = 0; first < ends.size(); first = end) {
      for (end = first + 1; end < ends.size() && continues(timeline, ends[end - 1], ends[end]);) ++end;
      if (ends[first].any_source && !ends[first].cancelled)
        series[like(timeline, ends[first])].push_back(ends.subspan(first, end - first));
    }
    bool changed = false;
    for (const auto& [key, of_key] : series) changed = (in_turn(of_key) || in_parts(of_key)) || changed;
    return changed;
  }

  // Where all senders send equally often, each series has one message of each, again and again: those that came too early
  // for a later series change places with those that are missing.
  static bool in_turn(const std::vector<std::span<MessageEnd>>& series) {
    std::map<Rank, std::deque<std::uint64_t>> bytes;  // of the messages of each sender
    for (const auto& ends : series)
      for (const MessageEnd& end : ends) bytes[end.peer].push_back(end.bytes);
    for (const auto& ends : series)
      if (ends.size() % bytes.size() != 0) return false;
    for (const auto& [sender, messages] : bytes)
      if (messages.size() != bytes.begin()->second.size()) return false;
    bool changed = false;
    auto next = bytes.begin();
    for (const auto& ends : series)
      for (MessageEnd& end : ends) {
        changed = changed || end.peer != next->first;
        end.peer = next->first;
        end.bytes = next->second.front();
        next->second.pop_front();
        if (++next == bytes.end()) next = bytes.begin();
      }
    return changed;
  }

  // Otherwise by sender, until one comes again.
  static bool in_parts(const std::vector<std::span<MessageEnd>>& series) {
    bool changed = false;
    for (const auto& ends : series)
      for (std::size_t first = 0, end = 0; first < ends.size(); first = end) {
        std::set<Rank> senders = {ends[first].peer};
        for (end = first + 1; end < ends.size() && senders.insert(ends[end].peer).second;) ++end;
        changed = sort(ends.subspan(first, end - first)) || changed;
      }
    return changed;
  }

  static bool sort(std::span<MessageEnd> ends) {
    if (std::ranges::is_sorted(ends, {}, &MessageEnd::peer)) return false;
    std::vector<MessageEnd> by_sender(ends.begin(), ends.end());
    std::ranges::sort(by_sender, {}, &MessageEnd::peer);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      ends[i].peer = by_sender[i].peer;
      ends[i].bytes = by_sender[i].bytes;
    }
    return true;
  }
};

std::optional<Trace> with_ordered_receives(const Trace& trace) {
  return Retiming::OrderingReceives::by_sender(trace);
}

std::optional<Trace> with_receives_by_arrival(const Trace& trace, const Trace& replayed) {
  return Retiming::OrderingReceives::by_arrival(trace, replayed);
}

}  // namespace waitdiag
