// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/disjoint_sum.hpp"

#include <algorithm>
#include <iterator>

namespace waitdiag {

void DisjointSum::add(Time begin, Time end, double value) {
  const auto not_before = [this](Time time) {
    return std::partition_point(best_.begin(), best_.end(),
                                [time](const Best& best) { return best.begin >= time; });
  };
  const auto behind = not_before(end);
  const double sum = value + (behind == best_.begin() ? 0 : std::prev(behind)->sum);
  const auto place = not_before(begin);
  if (place != best_.begin() && std::prev(place)->sum >= sum) return;
  const auto useful = std::find_if(place, best_.end(), [sum](const Best& best) { return best.sum > sum; });
  best_.insert(best_.erase(place, useful), {begin, sum});
  // All intervals still to come end here or earlier.
  const auto needed = not_before(end);
  if (needed - best_.begin() > 1) best_.erase(best_.begin(), std::prev(needed));
}

}  // namespace waitdiag
