// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/machine/placement.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Cores of one node.
std::uint64_t cores_per_node(const Machine& machine) {
  std::uint64_t cores = 1;
  for (std::size_t level = node_level(machine) + 1; level < machine.levels.size(); ++level)
    cores *= machine.levels[level].units;
  return cores;
}

// Nodes of the whole machine; 0: as many as needed.
std::uint64_t nodes_of(const Machine& machine) {
  std::uint64_t nodes = 1;
  for (std::size_t level = 0; level <= node_level(machine); ++level) nodes *= machine.levels[level].units;
  return nodes;
}

[[noreturn]] void too_small(const Machine& machine, std::uint64_t has, std::uint64_t wanted) {
  throw TraceError("machine " + machine.name + " has room for " + std::to_string(has) +
                   " ranks, one per core, and the run needs " + std::to_string(wanted) +
                   "; give it more units, or leave out the units of its outermost level");
}

[[noreturn]] void no_such_core(const Machine& machine, std::uint64_t core, std::uint64_t cores) {
  throw TraceError("machine " + machine.name + " has cores 0 to " + std::to_string(cores - 1) +
                   ", and no core " + std::to_string(core) +
                   "; give it more units, or leave out the units of its outermost level");
}

[[noreturn]] void node_too_small(const Machine& machine, std::uint64_t cores) {
  const std::string& name = machine.levels[node_level(machine)].name;
  const std::string has = name == "node"
                              ? " has nodes"
                              : " has no level called node, and its outermost one, " + name + ", has units";
  throw TraceError("machine " + machine.name + has + " with room for " + std::to_string(cores) +
                   (cores == 1 ? " rank" : " ranks") + ", one per core, not for " +
                   std::to_string(machine.ranks_per_node) +
                   " ranks per node; ask for fewer, or name a machine with larger nodes");
}

std::vector<std::uint64_t> mapped(const Machine& machine, std::size_t ranks) {
  std::vector<std::uint64_t> cores(ranks, 0);
  if (machine.levels.empty()) return cores;
  const std::uint64_t per_node = cores_per_node(machine);
  const std::uint64_t used = machine.ranks_per_node == 0 ? per_node : machine.ranks_per_node;
  if (used > per_node) node_too_small(machine, per_node);
  const std::uint64_t needed = (ranks + used - 1) / used, nodes = nodes_of(machine);
  if (nodes > 0 && needed > nodes) too_small(machine, nodes * used, ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    cores[rank] = machine.mapping == Mapping::Block ? rank / used * per_node + rank % used
                                                    : rank % needed * per_node + rank / needed;
  }
  return cores;
}

}  // namespace

Placement::Placement(const Machine& machine, std::size_t ranks)
    : levels_(machine.levels.size()), node_level_(node_level(machine)), cores_(mapped(machine, ranks)) {
  place(machine);
}

Placement::Placement(const Machine& machine, std::vector<std::uint64_t> cores)
    : levels_(machine.levels.size()), node_level_(node_level(machine)), cores_(std::move(cores)) {
  place(machine);
}

void Placement::place(const Machine& machine) {
  units_.resize(cores_.size() * levels_);
  total_units_.assign(levels_, 0);
  if (levels_ == 0) return;
  const std::uint64_t cores = nodes_of(machine) * cores_per_node(machine);
  for (const std::uint64_t core : cores_)
    if (cores > 0 && core >= cores) no_such_core(machine, core, cores);
  std::vector<std::uint64_t> units = cores_;  // by rank, on one level after the other
  for (std::size_t level = levels_; level-- > 0;) {
    std::vector<std::uint64_t> used = units;
    if (level == 0) outermost_.assign(units.begin(), units.end());
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    total_units_[level] = static_cast<std::uint32_t>(used.size());
    for (std::size_t rank = 0; rank < units.size(); ++rank) {
      units_[rank * levels_ + level] =
          static_cast<std::uint32_t>(std::ranges::lower_bound(used, units[rank]) - used.begin());
      if (level > 0) units[rank] /= machine.levels[level].units;
    }
  }
}

std::size_t Placement::sharing_cores() const {
  if (levels_ == 0) return 0;
  std::vector<std::size_t> ranks_on(units(levels_ - 1));
  for (std::size_t rank = 0; rank < ranks(); ++rank) ++ranks_on[unit(rank, levels_ - 1)];
  std::size_t sharing = 0;
  for (const std::size_t count : ranks_on) sharing += count > 1 ? count : 0;
  return sharing;
}

std::vector<std::uint64_t> parse_mapping(const std::string& text, const std::string& source,
                                         std::size_t ranks) {
  std::vector<std::uint64_t> cores;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word, more;
    if (!(words >> word)) continue;
    std::uint32_t core = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), core);
    if (error != std::errc{} || end != word.data() + word.size() || words >> more)
      throw TraceError(source + ":" + std::to_string(number) +
                       ": expected the number of one core, the place of rank " +
                       std::to_string(cores.size()) + ", not '" + line + "'");
    cores.push_back(core);
  }
  if (cores.size() != ranks)
    throw TraceError(source + ": has places for " + std::to_string(cores.size()) + " ranks, the run has " +
                     std::to_string(ranks) + "; give one core per line for each rank");
  return cores;
}

}  // namespace waitdiag
