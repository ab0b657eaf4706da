// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/rescaling/shared_processors.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace waitdiag {

double ranks_per_processor(const Trace& trace) {
  std::map<std::string, double> on_node;
  std::map<std::tuple<std::string, std::int32_t, std::int32_t>, double> on_core;
  double most = 0;
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const LocationInfo& place = trace.place_of(Rank(static_cast<std::int32_t>(rank)));
    const double ranks = ++on_node[place.node];
    if (place.node_processors > 0) most = std::max(most, ranks / place.node_processors);
    if (place.bound_to_core()) most = std::max(most, ++on_core[{place.node, place.package, place.core}]);
  }
  return most;
}

}  // namespace waitdiag
