// Which calls of a location begin and complete requests, and how many are open behind each of them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "analyzer/trace/model/timeline.hpp"

namespace waitdiag {

struct CallsOfRequests {
  explicit CallsOfRequests(const Timeline& timeline)
      : completes(timeline.size()), posts(timeline.size()), open_behind(timeline.size()) {
    note(timeline.receives());
    note(timeline.sends());
    note(timeline.collectives());
    for (const MessageEnd& receive : timeline.receives()) posts[receive.posted] = true;
    std::partial_sum(open_behind.begin(), open_behind.end(), open_behind.begin());
  }

  std::vector<bool> completes, posts;     // by call; posts: a receive, that may be a blocking one
  std::vector<std::int32_t> open_behind;  // by call: those begun by then and not completed

 private:
  static std::uint32_t begin_of(const MessageEnd& message) { return message.posted; }
  static std::uint32_t begin_of(const CollectivePart& part) { return part.op; }
  template <typename Records>
  void note(const Records& records) {
    for (const auto& record : records) {
      if (const std::uint32_t begun = begin_of(record); begun != kNoOp) ++open_behind[begun];
      if (record.completed == kNoOp) continue;
      completes[record.completed] = true;
      --open_behind[record.completed];
    }
  }
};

}  // namespace waitdiag
