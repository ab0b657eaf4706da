// The locations (threads) of every rank. Messages and collectives belong to ranks: any thread of a rank may
// send, receive or take part.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

using RankLocations = std::vector<std::vector<Location>>;  // by rank, main thread first

RankLocations locations_by_rank(const Trace& trace);

// Calls visit(location, index) for the records of all threads of a rank, in time order. `records` returns a
// location's records, `time` the time of one of them; the records of one location are in time order already.
template <typename Records, typename TimeOf, typename Visit>
void for_each_in_time_order(const std::vector<Location>& threads, Records records, TimeOf time, Visit visit) {
  std::vector<std::uint32_t> next(threads.size(), 0);
  for (;;) {
    std::size_t earliest = threads.size();
    Time earliest_time{};
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const auto& mine = records(threads[i]);
      if (next[i] == mine.size()) continue;
      const Time mine_next = time(threads[i], mine[next[i]]);
      if (earliest == threads.size() || mine_next < earliest_time) {
        earliest = i;
        earliest_time = mine_next;
      }
    }
    if (earliest == threads.size()) return;
    visit(threads[earliest], next[earliest]++);
  }
}

}  // namespace waitdiag
