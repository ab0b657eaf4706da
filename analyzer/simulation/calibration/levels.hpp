// How ranks are grouped into nodes, chips, cores: from the names of their hosts, and from their distances.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace waitdiag {

// Time of an empty message between any two ranks, in ns.
class PairLatencies {
 public:
  explicit PairLatencies(std::size_t ranks) : ranks_(ranks), ns_(ranks * ranks, 0) {}
  std::size_t ranks() const { return ranks_; }
  double operator()(std::size_t a, std::size_t b) const { return ns_[a * ranks_ + b]; }
  void set(std::size_t a, std::size_t b, double ns) { ns_[a * ranks_ + b] = ns_[b * ranks_ + a] = ns; }

 private:
  std::size_t ranks_;
  std::vector<double> ns_;
};

struct FoundLevel {
  std::string name;                 // of a unit: site, switch, node, chip, core
  std::vector<std::uint32_t> unit;  // by rank, counted over the whole machine in the order of the ranks
  std::uint32_t units = 0;          // the most in one unit of the next outer level
};

// Outermost level first; on the innermost one every rank is a unit. In a group, all members are nearer to
// each other (by at least 20 %) than to any other rank; the groups of a level have the same size, except one
// that may be smaller. Ranks of one host belong together in any case.
std::vector<FoundLevel> find_levels(const PairLatencies& latencies, std::span<const std::string> hosts);

// The outermost level at which two ranks are in different units.
std::size_t level_between(std::span<const FoundLevel> levels, std::uint32_t a, std::uint32_t b);

}  // namespace waitdiag
