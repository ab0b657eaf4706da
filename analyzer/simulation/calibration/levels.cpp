// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/calibration/levels.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace waitdiag {
namespace {

constexpr double kFarther = 1.2;        // times as far: a further level
constexpr double kMostOutliers = 0.05;  // of the pairs of a group that may be farther apart

using Partition = std::vector<std::uint32_t>;  // by rank

// Numbers units in the order of their first rank.
Partition numbered(const Partition& labels) {
  std::map<std::uint32_t, std::uint32_t> number;
  Partition result;
  for (const std::uint32_t label : labels)
    result.push_back(number.try_emplace(label, static_cast<std::uint32_t>(number.size())).first->second);
  return result;
}

std::uint32_t count(const Partition& units) {
  return units.empty() ? 0 : *std::ranges::max_element(units) + 1;
}

Partition by_host(std::span<const std::string> hosts) {
  std::map<std::string, std::uint32_t> number;
  Partition units;
  for (const std::string& host : hosts)
    units.push_back(number.try_emplace(host, static_cast<std::uint32_t>(number.size())).first->second);
  return units;
}

// Sorted times of the pairs within hosts, or of those between hosts.
std::vector<double> sorted_times(const PairLatencies& latencies, const Partition& hosts, bool inside) {
  std::vector<double> times;
  for (std::size_t a = 0; a < latencies.ranks(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if ((hosts[a] == hosts[b]) == inside) times.push_back(latencies(a, b));
  std::ranges::sort(times);
  return times;
}

// Joins the ranks for which `near` is true, and transitively all that are joined with them.
template <typename Near>
Partition joined(std::size_t ranks, Near near) {
  Partition label(ranks);
  std::iota(label.begin(), label.end(), 0u);
  for (std::size_t a = 0; a < ranks; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (label[a] != label[b] && near(a, b))
        std::ranges::replace(label, std::uint32_t{label[a]}, std::uint32_t{label[b]});
  return numbered(label);
}

bool groups_are_alike(const Partition& units) {
  std::vector<std::size_t> sizes(count(units), 0);
  for (const std::uint32_t unit : units) ++sizes[unit];
  std::ranges::sort(sizes, std::greater<>());
  if (sizes.size() < 2 || sizes.front() < 2) return false;
  const auto smaller = std::ranges::count_if(sizes, [&](std::size_t size) { return size != sizes.front(); });
  return smaller == 0 || (smaller == 1 && sizes.size() > 2);
}

template <typename Near>
bool members_are_near(const Partition& units, Near near) {
  std::size_t pairs = 0, apart = 0;
  for (std::size_t a = 0; a < units.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (units[a] != units[b]) continue;
      ++pairs;
      if (!near(a, b)) ++apart;
    }
  }
  return static_cast<double>(apart) <= kMostOutliers * static_cast<double>(pairs);
}

// Hosts are nodes; the levels around them are switches and sites, those in them chips and cores.
void add_names(std::vector<FoundLevel>& levels, const Partition& hosts) {
  const std::vector<std::string> outside = {"node", "switch", "site"}, within = {"core", "chip", "socket"};
  std::size_t nodes = 0;  // levels from the outermost one to that of the hosts
  for (std::size_t l = 0; l < levels.size(); ++l)
    if (count(hosts) > 1 && levels[l].unit == hosts) nodes = l + 1;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const auto& names = l < nodes ? outside : within;
    const std::size_t place = l < nodes ? nodes - 1 - l : levels.size() - 1 - l;
    levels[l].name = place < names.size() ? names[place] : "level " + std::to_string(l);
  }
}

}  // namespace

std::vector<FoundLevel> find_levels(const PairLatencies& latencies, std::span<const std::string> hosts) {
  const Partition host = by_host(hosts);
  const std::size_t ranks = latencies.ranks();
  std::set<std::pair<std::uint32_t, Partition>> partitions;  // by number of units
  const auto add = [&](const Partition& units) { partitions.emplace(count(units), units); };
  for (const bool inside : {true, false}) {
    const std::vector<double> times = sorted_times(latencies, host, inside);
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      if (times[i + 1] < kFarther * times[i]) continue;
      const auto near = [&](std::size_t a, std::size_t b) {
        const bool same = host[a] == host[b];
        return inside ? same && latencies(a, b) <= times[i] : same || latencies(a, b) <= times[i];
      };
      const Partition units = joined(ranks, near);
      if (groups_are_alike(units) && members_are_near(units, near)) add(units);
    }
  }
  Partition each(ranks);
  std::iota(each.begin(), each.end(), 0u);
  if (count(host) > 1) add(host);
  if (ranks > 1) add(each);
  std::vector<FoundLevel> levels;
  for (const auto& [units, partition] : partitions) {
    FoundLevel& level = levels.emplace_back();
    level.unit = partition;
    std::map<std::uint32_t, std::set<std::uint32_t>> within;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      within[levels.size() < 2 ? 0 : levels[levels.size() - 2].unit[rank]].insert(partition[rank]);
    for (const auto& [outside, inside_of] : within)
      level.units = std::max(level.units, static_cast<std::uint32_t>(inside_of.size()));
  }
  add_names(levels, host);
  return levels;
}

std::size_t level_between(std::span<const FoundLevel> levels, std::uint32_t a, std::uint32_t b) {
  std::size_t level = 0;
  while (level < levels.size() && levels[level].unit[a] == levels[level].unit[b]) ++level;
  return level;
}

}  // namespace waitdiag
