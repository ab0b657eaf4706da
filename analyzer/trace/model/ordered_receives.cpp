// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/ordered_receives.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "analyzer/trace/model/retiming.hpp"

namespace waitdiag {

class Retiming::OrderingReceives {
 public:
  static std::optional<Trace> run(const Trace& trace) {
    Trace result(trace);
    bool changed = false;
    for (Timeline& timeline : result.timelines_) changed = order(timeline) || changed;
    if (!changed) return std::nullopt;
    return result;
  }

 private:
  // Do both belong to one series, whose members could have got each other's messages?
  static bool continues(const Timeline& timeline, const MessageEnd& before, const MessageEnd& end) {
    const bool blocking = before.completed == before.posted && end.completed == end.posted;
    return end.any_source && before.any_source && !end.cancelled && !before.cancelled &&
           end.posted == before.posted + 1 && (blocking || end.completed == before.completed) &&
           end.tag == before.tag && end.comm == before.comm &&
           timeline.call_path(end.posted) == timeline.call_path(before.posted);
  }

  static bool order(Timeline& timeline) {
    std::span<MessageEnd> ends(timeline.receives_);
    bool changed = false;
    for (std::size_t first = 0, end = 0; first < ends.size(); first = end) {
      std::set<Rank> senders = {ends[first].peer};
      for (end = first + 1; end < ends.size() && continues(timeline, ends[end - 1], ends[end]) &&
                            senders.insert(ends[end].peer).second;)
        ++end;
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
  return Retiming::OrderingReceives::run(trace);
}

}  // namespace waitdiag
