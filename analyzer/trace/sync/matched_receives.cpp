// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/matched_receives.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace waitdiag {
namespace {

bool is_matched_receive(std::string_view function) {
  return function == "MPI_Mrecv" || function == "MPI_Imrecv";
}

// Whether it found a message is not recorded, but only then its number agrees with that of the receives.
bool is_matched_probe(std::string_view function) {
  return function == "MPI_Mprobe" || function == "MPI_Improbe";
}

}  // namespace

std::optional<std::vector<std::uint32_t>> taking_order(const Trace& trace, Location location) {
  const bool any = std::ranges::any_of(trace.regions(),
                                       [](const Region& region) { return is_matched_receive(region.name); });
  if (!any) return std::nullopt;
  const Timeline& timeline = trace.timeline(location);
  std::vector<std::uint32_t> probes, fetches;  // operations
  for (std::uint32_t op = 0; op < timeline.size(); ++op) {
    const std::string_view function = trace.region(timeline.call_path(op)).name;
    if (is_matched_probe(function)) probes.push_back(op);
    if (is_matched_receive(function)) fetches.push_back(op);
  }
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
