// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/resources/core_shares.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "analyzer/diagnosis/resources/resource_use.hpp"

namespace waitdiag {
namespace {

Duration all_computation(const Timeline& timeline) {
  Duration sum{};
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
    sum += timeline.gap_end(gap) - timeline.gap_begin(gap);
  return sum;
}

// Computation between two times; `gap` advances from call to call; calls come in time order.
Duration computation_between(const Timeline& timeline, Time from, Time to, std::size_t& gap) {
  Duration sum{};
  while (gap < timeline.gaps() && timeline.gap_end(gap) <= from) ++gap;
  for (std::size_t g = gap; g < timeline.gaps() && timeline.gap_begin(g) < to; ++g)
    sum += std::max(Duration{}, std::min(to, timeline.gap_end(g)) - std::max(from, timeline.gap_begin(g)));
  return sum;
}

CoreShare core_share_of(const Timeline& timeline) {
  constexpr double kSeveralThreads = 1.05;
  CoreShare result{.computation = all_computation(timeline)};
  const std::vector<UsageReading>& readings = timeline.usage();
  double weighted = 0, known = 0;
  std::size_t gap = 0;
  for (std::size_t i = 0; i + 1 < readings.size(); ++i) {
    const UsageReading &first = readings[i], &last = readings[i + 1];
    const Duration time = last.time - first.time;
    const Duration computation = computation_between(timeline, first.time, last.time, gap);
    if (time.count() <= 0 || 2 * computation < time) continue;
    const double share = static_cast<double>((last.processor_time - first.processor_time).count()) /
                         static_cast<double>(time.count());
    weighted += share * static_cast<double>(computation.count());
    known += static_cast<double>(computation.count());
  }
  if (known <= 0 || 2 * known < static_cast<double>(result.computation.count())) return result;
  const double share = weighted / known;
  if (share < 0 || share > kSeveralThreads) return result;
  constexpr double kWhole = 0.98;
  result.kind = share >= kWhole ? CoreShare::Kind::Whole : CoreShare::Kind::Own;
  result.share = std::min(1.0, share);
  return result;
}

// Ranks without readings on a loaded node had no more of it than the others: otherwise only the others would
// be scaled.
void spread_over_nodes(const Trace& trace, std::vector<CoreShare>& shares) {
  struct Known {
    double weighted = 0, all = 0;
    bool loaded = false;
  };
  std::map<std::string, Known> nodes;
  const auto node_of = [&](std::size_t rank) -> Known& { return nodes[trace.place_of(Rank(rank)).node]; };
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    const CoreShare& share = shares[rank];
    if (share.kind == CoreShare::Kind::Unknown) continue;
    Known& known = node_of(rank);
    known.weighted += share.share * static_cast<double>(share.computation.count());
    known.all += static_cast<double>(share.computation.count());
    known.loaded = known.loaded || share.kind == CoreShare::Kind::Loaded;
  }
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    const Known& known = node_of(rank);
    if (shares[rank].kind != CoreShare::Kind::Unknown || !known.loaded) continue;
    shares[rank].kind = CoreShare::Kind::Node;
    shares[rank].share = known.weighted / known.all;
  }
}

}  // namespace

std::vector<CoreShare> core_shares(const Trace& trace) {
  std::vector<std::size_t> timelines(trace.ranks(), 0);
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) ++timelines[index(trace.rank(Location(l)))];
  std::map<std::string, bool> loaded;
  for (const ResourceUse::OfNode& node : resource_use(trace, 1).nodes)
    loaded[node.node] = node.processors > 0 && node.runnable > static_cast<double>(node.processors);
  std::vector<CoreShare> shares(trace.ranks());
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    if (timelines[rank] != 1) continue;
    const Location location = trace.main_location(Rank(rank));
    shares[rank] = core_share_of(trace.timeline(location));
    if (shares[rank].kind == CoreShare::Kind::Own && loaded[trace.locations()[index(location)].node])
      shares[rank].kind = CoreShare::Kind::Loaded;
  }
  spread_over_nodes(trace, shares);
  return shares;
}

}  // namespace waitdiag
