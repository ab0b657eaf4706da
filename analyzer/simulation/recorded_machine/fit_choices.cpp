// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/recorded_machine/fit_choices.hpp"

#include <algorithm>
#include <cmath>

#include "analyzer/simulation/recorded_machine/machine_fit.hpp"

namespace waitdiag {
namespace {

// Where nothing is known: a message within a node. Each outer level starts with a longer latency.
constexpr double kUsualLatency = 500, kUsualNsPerByte = 0.2, kFurther = 2;
constexpr double kHoldToOther = 0.03;  // the same of one at that from the usual distance to another's

}  // namespace

Usual usual_values(std::size_t levels, std::size_t sizes) {
  Usual usual;
  for (std::size_t l = 0; l < levels; ++l) {
    const double factor = std::pow(kFurther, static_cast<double>(levels - 1 - l));
    for (const double value : {kUsualLatency, kUsualNsPerByte}) {
      const std::size_t at = usual.parameters.size();
      usual.parameters.push_back(std::log(value * factor));
      usual.of.push_back(l + 1 < levels ? at + 2 : at);
      usual.weights.push_back(l + 1 < levels ? kHoldToOther : kHold);
    }
  }
  for (std::size_t s = 0; s < sizes && sizes > 1; ++s) {
    const std::size_t at = usual.parameters.size();
    usual.parameters.push_back(0);
    usual.of.push_back(s + 1 < sizes ? at + 1 : at);
    usual.weights.push_back(s + 1 < sizes ? kHoldToOther : kHold);
  }
  return usual;
}

std::vector<std::uint64_t> sizes_in(const std::vector<FittedRun>& runs) {
  constexpr std::uint32_t kMostSizes = 8;
  std::uint32_t least = UINT32_MAX, most = 0;
  for (const FittedRun& run : runs)
    for (const TransportTimes::Group& group : run.transport->groups()) {
      least = std::min<std::uint32_t>(least, group.reach.size_class);
      most = std::max<std::uint32_t>(most, group.reach.size_class);
    }
  std::vector<std::uint64_t> sizes{0};
  if (most <= least) return sizes;
  const std::uint32_t step = 1 + (most - least) / kMostSizes;
  for (std::uint32_t digits = most; digits > least; digits -= std::min(digits, step))
    sizes.push_back(std::uint64_t{1} << (digits - 1));
  std::ranges::sort(sizes);
  return sizes;
}

std::vector<std::uint32_t> block_sizes(std::size_t ranks) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = 2; size < ranks; ++size)
    if (ranks % size == 0) sizes.push_back(size);
  return sizes;
}

std::uint64_t largest_size(const std::vector<FittedRun>& runs) {
  std::uint32_t digits = 0;
  for (const FittedRun& run : runs)
    for (const TransportTimes::Group& group : run.transport->groups())
      digits = std::max<std::uint32_t>(digits, group.reach.size_class);
  return digits == 0 ? 0 : UINT64_MAX >> (64 - digits);
}

bool nests(std::vector<std::uint32_t> blocks, std::uint32_t another) {
  return std::ranges::all_of(blocks, [another](std::uint32_t block) {
    return block != another && (block % another == 0 || another % block == 0);
  });
}

}  // namespace waitdiag
