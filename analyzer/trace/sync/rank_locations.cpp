// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/rank_locations.hpp"

#include <algorithm>

namespace waitdiag {

RankLocations locations_by_rank(const Trace& trace) {
  RankLocations result(trace.ranks());
  for (std::size_t i = 0; i < trace.locations().size(); ++i) {
    result[index(trace.locations()[i].rank)].push_back(Location(i));
  }
  for (auto& threads : result) {
    std::stable_sort(threads.begin(), threads.end(), [&](Location a, Location b) {
      return trace.locations()[index(a)].thread < trace.locations()[index(b)].thread;
    });
  }
  return result;
}

}  // namespace waitdiag
