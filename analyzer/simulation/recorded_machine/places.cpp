// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/places.hpp"

#include <algorithm>
#include <map>

namespace waitdiag {
namespace {

// The place of a rank of a run: its node, its chip there, its place on the chip; numbered by first
// appearance.
struct Spot {
  std::uint32_t node = 0, chip = 0, place = 0;
};
struct Spots {
  std::vector<Spot> of_rank{};
  std::uint32_t nodes = 0, chips = 1, places = 1;  // the latter two: of one unit, at most
  bool chips_known = true;
};

Spots spots_of(const Trace& run) {
  Spots spots;
  struct NodeSoFar {
    std::uint32_t number = 0;
    std::map<std::int32_t, std::uint32_t> chips{};
    std::vector<std::uint32_t> ranks{};  // by chip
  };
  std::map<std::string, NodeSoFar> nodes;
  for (std::size_t rank = 0; rank < run.ranks(); ++rank) {
    const LocationInfo& info = run.place_of(Rank(static_cast<int>(rank)));
    NodeSoFar& node = nodes.try_emplace(info.node, NodeSoFar{.number = spots.nodes}).first->second;
    spots.nodes = static_cast<std::uint32_t>(nodes.size());
    spots.chips_known = spots.chips_known && info.package != LocationInfo::kAnyPlace;
    const auto next = static_cast<std::uint32_t>(node.chips.size());
    const std::uint32_t chip = node.chips.try_emplace(info.package, next).first->second;
    node.ranks.resize(node.chips.size(), 0);
    spots.of_rank.push_back({node.number, chip, node.ranks[chip]++});
    spots.chips = std::max(spots.chips, chip + 1);
    spots.places = std::max(spots.places, node.ranks[chip]);
  }
  return spots;
}

// Numbers places across the chips of a node, as if chips were not known.
void forget_chips(Spots& spots) {
  std::map<std::uint32_t, std::uint32_t> ranks;
  spots.places = 1;
  for (Spot& spot : spots.of_rank) {
    spot.chip = 0;
    spot.place = ranks[spot.node]++;
    spots.places = std::max(spots.places, spot.place + 1);
  }
  spots.chips = 1;
}

bool cyclic(const Spots& spots) {
  for (std::size_t rank = 0; rank < spots.of_rank.size(); ++rank)
    if (spots.of_rank[rank].node != rank % spots.nodes) return false;
  return spots.nodes > 1 && spots.nodes < spots.of_rank.size();
}

}  // namespace

RecordedPlaces places_of(std::span<const Trace* const> runs) {
  RecordedPlaces places{.one_node = true, .one_rank_per_node = true};
  std::vector<Spots> all;
  bool chips_known = true;
  for (const Trace* run : runs) {
    all.push_back(spots_of(*run));
    chips_known = chips_known && all.back().chips_known;
  }
  if (!chips_known) std::ranges::for_each(all, forget_chips);
  std::uint32_t chips = 1, per_chip = 1;
  for (const Spots& run : all) {
    chips = std::max(chips, run.chips);
    per_chip = std::max(per_chip, run.places);
    places.one_node = places.one_node && run.nodes == 1;
  }
  places.one_rank_per_node = chips * per_chip == 1 && !places.one_node;
  if (!places.one_node) places.levels.push_back({"node", 0});
  if (chips > 1) places.levels.push_back({"chip", places.levels.empty() ? 0 : chips});
  if (per_chip > 1 || places.levels.empty())
    places.levels.push_back({"core", places.levels.empty() ? 0 : per_chip});
  for (const Spots& run : all) {
    std::vector<std::uint64_t>& cores = places.cores.emplace_back();
    for (const Spot& spot : run.of_rank)
      cores.push_back((std::uint64_t{spot.node} * chips + spot.chip) * per_chip + spot.place);
  }
  if (cyclic(all.back())) places.mapping = Mapping::Cyclic;
  if (!places.one_node && chips * per_chip > 1) {
    std::map<std::uint32_t, std::uint32_t> ranks;
    for (const Spot& spot : all.back().of_rank)
      places.ranks_per_node = std::max(places.ranks_per_node, ++ranks[spot.node]);
  }
  return places;
}

RecordedPlaces in_blocks(const RecordedPlaces& places, const std::vector<std::uint32_t>& blocks) {
  RecordedPlaces result = places;
  std::vector<std::uint32_t> largest_first = blocks;
  std::ranges::sort(largest_first, std::greater<>());
  result.levels.clear();
  std::uint32_t outside = 0;
  for (const std::uint32_t block : largest_first) {
    result.levels.push_back({"block" + std::to_string(block), outside == 0 ? 0 : outside / block});
    outside = block;
  }
  result.levels.push_back({"rank", outside});
  return result;
}

}  // namespace waitdiag
