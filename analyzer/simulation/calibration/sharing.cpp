// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/calibration/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace waitdiag {
namespace {

constexpr std::uint64_t kFlowBytes = 1 << 20;
constexpr std::size_t kMostFlowsOfARank = 4, kMostPairsOfABus = 64;
constexpr double kClearlySlower = 1.05;  // than what is already known explains
constexpr double kSlower = 1.02;         // the same where both directions are compared
constexpr double kLeastOpposite = 0.01, kHalfDuplex = 0.9;

using Pairs = std::vector<RankPair>;
// Ranks by unit of a level that are in one unit of the level outside.
using Siblings = std::vector<std::vector<std::uint32_t>>;

class SharingSearch {
 public:
  SharingSearch(Laboratory& laboratory, std::span<const FoundLevel> levels, Machine& machine)
      : laboratory_(laboratory), levels_(levels), machine_(machine) {}

  std::vector<std::string> run() {
    for (std::size_t l = levels_.size(); l-- > 0;) search(l);
    if (backplane_ > 0) add_backplane();
    return std::move(assumed_);
  }

 private:
  MachineLevel& level(std::size_t l) { return machine_.levels[l]; }
  // The rate of a single message, in bytes per ns.
  double rate_alone(std::size_t l) const {
    double least = std::numeric_limits<double>::infinity();
    for (const SizeInterval& interval : machine_.levels[l].intervals)
      if (interval.ns_per_byte > 0) least = std::min(least, interval.ns_per_byte);
    return 1 / least;
  }
  double capacity(std::size_t l) const {
    return machine_.levels[l].channels / machine_.levels[l].channel_ns_per_byte;
  }
  // The rate of the narrowest port within a level.
  double rate_inside(std::size_t l) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t m = l + 1; m < levels_.size(); ++m)
      if (machine_.levels[m].sharing != Sharing::None)
        least = std::min(least, 1 / machine_.levels[m].channel_ns_per_byte);
    return least;
  }

  // The number of `rank`'s unit on a level among those of the same outer unit.
  std::uint32_t place(std::size_t l, std::uint32_t rank) const {
    const std::uint32_t unit = levels_[l].unit[rank];
    if (l == 0) return unit;
    std::uint32_t first = unit;
    for (std::size_t r = 0; r < levels_[l].unit.size(); ++r)
      if (levels_[l - 1].unit[r] == levels_[l - 1].unit[rank]) first = std::min(first, levels_[l].unit[r]);
    return unit - first;
  }

  // The units within the outer unit that has the most of them; the ranks of each in an order in which
  // neighbours are far apart.
  Siblings siblings(std::size_t l) const {
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> all;
    for (std::uint32_t rank = 0; rank < levels_[l].unit.size(); ++rank)
      all[l == 0 ? 0 : levels_[l - 1].unit[rank]][levels_[l].unit[rank]].push_back(rank);
    const auto most =
        std::ranges::max_element(all, {}, [](const auto& outside) { return outside.second.size(); });
    Siblings result;
    for (auto& [unit, ranks] : most->second) {
      std::ranges::stable_sort(ranks, {}, [&](std::uint32_t rank) {
        std::vector<std::uint32_t> places;
        for (std::size_t m = levels_.size(); m-- > l + 1;) places.push_back(place(m, rank));
        return places;
      });
      result.push_back(std::move(ranks));
    }
    std::ranges::stable_sort(result, std::greater<>(), &std::vector<std::uint32_t>::size);
    return result;
  }

  // How many times the capacity of a level's busiest port these messages would take, each at `rate`.
  double load(std::size_t l, const Pairs& pairs, double rate) const {
    const MachineLevel& at = machine_.levels[l];
    if (at.sharing == Sharing::None) return 0;
    std::map<std::pair<std::uint32_t, bool>, double> taken;
    const double back = at.sharing == Sharing::Half ? 1 : at.opposite;
    for (const RankPair& pair : pairs) {
      const std::uint32_t from = levels_[l].unit[pair.from], to = levels_[l].unit[pair.to];
      if (from == to) continue;
      if (at.sharing == Sharing::Bus) {
        taken[{l == 0 ? 0 : levels_[l - 1].unit[pair.from], true}] += rate;
        continue;
      }
      taken[{from, true}] += rate;
      taken[{to, false}] += rate;
      taken[{from, false}] += back * rate;
      taken[{to, true}] += back * rate;
    }
    double most = 0;
    for (const auto& [port, sum] : taken) most = std::max(most, sum);
    return most / capacity(l);
  }
  double explained(std::size_t l, const Pairs& pairs) const {
    double slower = 1;
    for (std::size_t m = l + 1; m < levels_.size(); ++m)
      slower = std::max(slower, load(m, pairs, rate_alone(l)));
    return slower;
  }
  // How many times as long these messages take as a single one, not counting latency.
  double slowdown(std::size_t l, const Pairs& pairs) {
    const SizeInterval* const cost = interval_of(level(l), kFlowBytes);
    const double latency = cost->latency_ns;
    if (alone_ <= 0) alone_ = laboratory_.flows({pairs.data(), 1}, kFlowBytes) - latency;
    return alone_ > 0 ? (laboratory_.flows(pairs, kFlowBytes) - latency) / alone_ : 1;
  }

  // Sets of messages between two units, each larger than the one before.
  std::vector<Pairs> loads_between(const Siblings& units, bool single_ranks) const {
    std::vector<Pairs> all;
    const std::size_t most = single_ranks ? std::min(units.size() - 1, kMostFlowsOfARank)
                                          : std::min(units[0].size(), units[1].size());
    for (std::size_t n = 1; n <= most; n = n < most ? std::min(2 * n, most) : n + 1) {
      Pairs& pairs = all.emplace_back();
      for (std::size_t i = 0; i < n; ++i)
        pairs.push_back(single_ranks ? RankPair{units[0][0], units[i + 1][0]}
                                     : RankPair{units[0][i], units[1][i]});
    }
    return all;
  }

  void search(std::size_t l) {
    alone_ = 0;
    const Siblings units = siblings(l);
    const double rate = rate_alone(l);
    // Where longer messages took no longer, because times were disturbed, nothing is known of a port.
    level(l).channel_ns_per_byte = rate > 0 ? 1 / rate : 0;
    if (units.size() < 2 || rate <= 0) return;
    const std::vector<Pairs> loads = loads_between(units, l + 1 == levels_.size());
    const Pairs* busiest = &loads.front();
    double port = std::numeric_limits<double>::infinity();
    for (const Pairs& pairs : loads) {
      if (pairs.size() < 2) continue;
      const double slower = slowdown(l, pairs);
      if (slower < kClearlySlower * explained(l, pairs)) continue;
      const double found = static_cast<double>(pairs.size()) * rate / slower;
      if (found < port) busiest = &pairs;
      port = std::min(port, found);
    }
    set_port(l, port, loads.back().size());
    search_opposite(l, *busiest);
    search_bus(l, units);
  }

  void set_port(std::size_t l, double port, std::size_t most_flows) {
    MachineLevel& at = level(l);
    const double rate = rate_alone(l);
    if (std::isfinite(port)) {
      set_capacity(l, std::max(port, rate));
      return;
    }
    if (most_flows > 1 && rate >= rate_inside(l) / kClearlySlower) {
      at.sharing = Sharing::None;  // the ports inside are busy before this one is
      return;
    }
    at.channels = static_cast<std::uint32_t>(most_flows);
    assumed_.push_back("level " + at.name + ": " + std::to_string(most_flows) +
                       (most_flows == 1 ? " message at a time was all that the ranks could try"
                                        : " messages at a time did not fill a port") +
                       "; it is taken to have room for as many and not for more");
  }
  // A single message may be limited by a port further inside, or by the channel of this one.
  void set_capacity(std::size_t l, double port) {
    MachineLevel& at = level(l);
    const double rate = rate_alone(l);
    at.channels = 1;
    if (port > kClearlySlower * rate && rate_inside(l) > kClearlySlower * rate)
      at.channels = static_cast<std::uint32_t>(std::max(1L, std::lround(port / rate)));
    at.channel_ns_per_byte = at.channels / port;
  }

  void search_opposite(std::size_t l, const Pairs& pairs) {
    MachineLevel& at = level(l);
    if (at.sharing == Sharing::None) return;
    Pairs both = pairs;
    for (const RankPair& pair : pairs) both.push_back({pair.to, pair.from});
    const double slower = slowdown(l, both);
    if (slower < kSlower * explained(l, both)) return;
    const double opposite = slower / load(l, pairs, rate_alone(l)) - 1;
    if (opposite < kLeastOpposite) return;
    if (opposite > kHalfDuplex) {
      at.sharing = Sharing::Half;
    } else {
      at.opposite = opposite;
    }
  }

  // Messages between units that have no port in common.
  void search_bus(std::size_t l, const Siblings& units) {
    Pairs pairs;
    for (std::size_t u = 0; u + 1 < units.size() && pairs.size() < kMostPairsOfABus; u += 2)
      pairs.push_back({units[u][0], units[u + 1][0]});
    if (pairs.size() < 2) return;
    const double slower = slowdown(l, pairs);
    if (slower < kClearlySlower * explained(l, pairs)) return;
    const double bus = std::max(rate_alone(l), static_cast<double>(pairs.size()) * rate_alone(l) / slower);
    if (l == 0 && level(l).sharing != Sharing::None && bus > kClearlySlower * capacity(l)) {
      backplane_ = bus;
      return;
    }
    level(l).sharing = Sharing::Bus;
    level(l).opposite = 0;
    set_capacity(l, bus);
  }

  // All messages pass it besides the ports of their units.
  void add_backplane() {
    MachineLevel backplane = machine_.levels.front();
    backplane.name = "backplane";
    backplane.sharing = Sharing::Bus;
    backplane.opposite = 0;
    backplane.channels = 1;
    backplane.channel_ns_per_byte = 1 / backplane_;
    machine_.levels.front().units = 1;
    machine_.levels.insert(machine_.levels.begin(), std::move(backplane));
  }

  Laboratory& laboratory_;
  std::span<const FoundLevel> levels_;
  Machine& machine_;
  std::vector<std::string> assumed_;
  double backplane_ = 0;  // bytes per ns; 0: there is none
  double alone_ = 0;      // ns of the bytes of one message alone, on this level
};

}  // namespace

std::vector<std::string> find_sharing(Laboratory& laboratory, std::span<const FoundLevel> levels,
                                      Machine& machine) {
  return SharingSearch(laboratory, levels, machine).run();
}

}  // namespace waitdiag
