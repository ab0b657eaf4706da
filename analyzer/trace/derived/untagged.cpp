// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/derived/untagged.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "analyzer/trace/derived/retiming.hpp"

namespace waitdiag {
namespace {

// By sender, receiver and communicator's members, in the order of posting.
using Tags = std::map<std::tuple<Rank, Rank, CommId>, std::vector<std::int32_t>>;

bool received_in_order(const Trace& trace) {
  Tags sent, received;
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
    const Rank self = trace.locations()[l].rank;
    for (const MessageEnd& end : trace.timelines()[l].sends())
      if (!end.cancelled) sent[{self, end.peer, end.comm}].push_back(end.tag);
    for (const MessageEnd& end : trace.timelines()[l].receives())
      if (!end.cancelled && end.completed != kNoOp) received[{end.peer, self, end.comm}].push_back(end.tag);
  }
  return sent == received;
}

}  // namespace

class Retiming::Untagging {
 public:
  static std::optional<Trace> run(const Trace& trace) {
    std::set<std::int32_t> tags;
    for (const Timeline& timeline : trace.timelines())
      for (const MessageEnd& end : timeline.sends()) tags.insert(end.tag);
    if (tags.size() < 2 || !received_in_order(trace)) return std::nullopt;
    Trace result(trace);
    for (Timeline& timeline : result.timelines_)
      for (auto* const ends : {&timeline.sends_, &timeline.receives_})
        ends->change([&](MessageEnd& end) { end.tag = *tags.begin(); });
    return result;
  }
};

std::optional<Trace> untagged(const Trace& trace) {
  return Retiming::Untagging::run(trace);
}

}  // namespace waitdiag
