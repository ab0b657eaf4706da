// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/propagation.hpp"

#include <algorithm>
#include <queue>

namespace waitdiag {

void Propagation::add(const PassedOn::Waits& waits, double scale) {
  if (waits.first < waits.last && scale > 0)
    ranges_.push_back({waits.first, waits.last, waits.share * scale});
}

// Sweeps over all waits from the last to the first; the heap holds the ranges that have begun, the largest
// share on top.
std::vector<double> Propagation::by_pattern(const WaitStates& states) {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.last > b.last; });
  const auto smaller = [](const Range& a, const Range& b) { return a.share < b.share; };
  std::priority_queue<Range, std::vector<Range>, decltype(smaller)> open(smaller);
  std::vector<double> result(wait_patterns().size(), 0);
  auto next = ranges_.begin();
  for (auto i = static_cast<std::uint32_t>(states.waits.size()); i-- > 0;) {
    for (; next != ranges_.end() && next->last > i; ++next) open.push(*next);
    while (!open.empty() && open.top().first > i) open.pop();
    if (open.empty()) continue;
    const WaitState& wait = states.waits[i];
    result[static_cast<std::size_t>(wait.pattern)] +=
        std::min(open.top().share, 1.0) * static_cast<double>(wait.wait.count());
  }
  return result;
}

}  // namespace waitdiag
