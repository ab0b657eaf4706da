// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/matched_receives.hpp"

#include <algorithm>
#include <numeric>

namespace waitdiag {
MatchedReceives::MatchedReceives(const Trace& trace) : trace_(trace) {
  for (std::size_t path = 0; path < trace.call_paths().size(); ++path) {
    const Region& region = trace.region(CallPathId(path));
    classes_.push_back(region.mpi() ? call_class(region) : CallClass::Other);
  }
  if (std::ranges::find(classes_, CallClass::MatchedReceive) == classes_.end()) classes_.clear();
}

// Whether an MPI_Mprobe or MPI_Improbe found a message is not recorded, but only then the number of probes
// agrees with that of the receives; perhaps without those that are asked again at once.
std::optional<std::vector<std::uint32_t>> MatchedReceives::taking_order(Location location) const {
  if (classes_.empty()) return std::nullopt;
  const Timeline& timeline = trace_.timeline(location);
  std::vector<std::uint32_t> probes, fetches;  // operations
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    const CallClass of_call = classes_[index(timeline.call_path(op))];
    if (of_call == CallClass::MatchedProbe) probes.push_back(op);
    if (of_call == CallClass::MatchedReceive) fetches.push_back(op);
  }
  if (probes.size() > fetches.size())
    std::erase_if(probes, [&](std::uint32_t op) {
      return op + 1 < timeline.size() && timeline.call_path(op + 1) == timeline.call_path(op);
    });
  if (fetches.empty() || probes.size() != fetches.size()) return std::nullopt;
  const auto took = [&](std::uint32_t receive) {
    const std::uint32_t posted = timeline.receives()[receive].posted;
    const auto fetch = std::ranges::lower_bound(fetches, posted);
    if (fetch == fetches.end() || *fetch != posted) return posted;
    return std::min(posted, probes[static_cast<std::size_t>(fetch - fetches.begin())]);
  };
  std::vector<std::uint32_t> order(timeline.receives().size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, took);
  return order;
}

}  // namespace waitdiag
