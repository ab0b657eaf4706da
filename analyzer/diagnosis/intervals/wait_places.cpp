// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/intervals/wait_places.hpp"

#include <algorithm>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

WaitPlaces::WaitPlaces(const Trace& trace, const WaitStates& states)
    : states_(states), locations_(trace.timelines().size()) {
  for_each_index(locations_.size(), [&](std::size_t l) {
    OfLocation& here = locations_[l];
    const auto waits = states.waits_of(Location(l));
    const std::size_t calls = trace.timelines()[l].size();
    here.waits = waits.size();
    here.before_block.reserve(calls / kBlock + 1);
    here.in_block.resize(calls);
    std::size_t wait = 0;
    for (std::uint32_t op = 0; op < calls; ++op) {
      while (wait < waits.size() && waits[wait].victim.op < op) ++wait;
      if (op % kBlock == 0) here.before_block.push_back(static_cast<std::uint32_t>(wait));
      here.in_block[op] =
          static_cast<std::uint8_t>(std::min<std::size_t>(wait - here.before_block.back(), kMany));
    }
  });
}

std::size_t WaitPlaces::search(Location location, std::size_t first, std::uint32_t op) const {
  const auto rest = states_.waits_of(location).subspan(first);
  const auto found =
      std::ranges::partition_point(rest, [op](const WaitState& wait) { return wait.victim.op < op; });
  return first + static_cast<std::size_t>(found - rest.begin());
}

}  // namespace waitdiag
