// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/machine/placement.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "analyzer/model/trace_error.hpp"

namespace waitdiag {
namespace {

// Cores of one unit of the outermost level.
std::uint64_t cores_per_node(const Machine& machine) {
  std::uint64_t cores = 1;
  for (std::size_t level = 1; level < machine.levels.size(); ++level) cores *= machine.levels[level].units;
  return cores;
}

[[noreturn]] void too_small(const Machine& machine, std::uint64_t has, std::uint64_t wanted) {
  throw TraceError("machine " + machine.name + " has room for " + std::to_string(has) +
                   " ranks, one per core, and the run needs " + std::to_string(wanted) +
                   "; give it more units, or leave out the units of its outermost level");
}

std::vector<std::uint64_t> mapped(const Machine& machine, std::size_t ranks) {
  std::vector<std::uint64_t> cores(ranks, 0);
  if (machine.levels.empty()) return cores;
  const std::uint64_t per_node = cores_per_node(machine);
  const std::uint64_t used = machine.ranks_per_node == 0 ? per_node : machine.ranks_per_node;
  if (used > per_node) too_small(machine, per_node, used);
  const std::uint64_t needed = (ranks + used - 1) / used;
  const std::uint64_t nodes = machine.levels[0].units == 0 ? needed : machine.levels[0].units;
  if (needed > nodes) too_small(machine, nodes * used, ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    cores[rank] = machine.mapping == Mapping::Block ? rank / used * per_node + rank % used
                                                    : rank % nodes * per_node + rank / nodes;
  }
  return cores;
}

}  // namespace

Placement::Placement(const Machine& machine, std::size_t ranks)
    : levels_(machine.levels.size()), cores_(mapped(machine, ranks)) {
  place(machine);
}

Placement::Placement(const Machine& machine, std::vector<std::uint64_t> cores)
    : levels_(machine.levels.size()), cores_(std::move(cores)) {
  place(machine);
}

void Placement::place(const Machine& machine) {
  units_.resize(cores_.size() * levels_);
  total_units_.assign(levels_, 0);
  for (std::size_t rank = 0; rank < cores_.size(); ++rank) {
    std::uint64_t unit = cores_[rank];
    for (std::size_t level = levels_; level-- > 0;) {
      units_[rank * levels_ + level] = static_cast<std::uint32_t>(unit);
      total_units_[level] = std::max(total_units_[level], static_cast<std::uint32_t>(unit + 1));
      if (level > 0) unit /= machine.levels[level].units;
    }
    if (levels_ > 0 && machine.levels[0].units > 0 && unit >= machine.levels[0].units)
      too_small(machine, machine.levels[0].units * cores_per_node(machine), cores_[rank] + 1);
  }
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
    std::uint32_t core = 0;  // so that units can be counted
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
