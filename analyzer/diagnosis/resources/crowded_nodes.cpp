// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/resources/crowded_nodes.hpp"

#include <algorithm>
#include <cstdio>

namespace waitdiag {

void add_crowded_nodes(const std::vector<ResourceUse::OfNode>& nodes, Anomalies& anomalies) {
  constexpr double kCrowded = 1.25;
  const ResourceUse::OfNode* worst = nullptr;
  std::uint64_t crowded = 0;
  const auto load = [](const ResourceUse::OfNode& node) {
    return node.processors > 0 ? node.runnable / static_cast<double>(node.processors) : 0;
  };
  for (const ResourceUse::OfNode& node : nodes) {
    crowded += load(node) > kCrowded;
    if (worst == nullptr || load(node) > load(*worst)) worst = &node;
  }
  if (crowded == 0) return;
  char text[300];
  std::snprintf(
      text, sizeof text,
      "on %.64s %.1f threads on average wanted to run on %u processors: they took turns, which lengthens "
      "computation and waiting alike",
      worst->node.c_str(), worst->runnable, worst->processors);
  anomalies.add("crowded_nodes", Gravity::Warning, text, crowded);
}

void add_stolen_processors(const std::vector<ResourceUse::OfNode>& nodes, Anomalies& anomalies) {
  const auto matters = [](const ResourceUse::OfNode& node) { return node.stolen_share >= kStolenMatters; };
  const auto worst = std::ranges::max_element(nodes, {}, &ResourceUse::OfNode::stolen_share);
  if (worst == nodes.end() || !matters(*worst)) return;
  char text[300];
  std::snprintf(
      text, sizeof text,
      "the host of the virtual machine %.64s took its processors away for %.0f %% of the time that they were "
      "wanted: code there seems so much slower, and is not",
      worst->node.c_str(), 1e2 * worst->stolen_share);
  anomalies.add("stolen_processors", Gravity::Warning, text,
                static_cast<std::uint64_t>(std::ranges::count_if(nodes, matters)));
}

}  // namespace waitdiag
