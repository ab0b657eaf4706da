// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/passed_on.hpp"

#include <algorithm>

namespace waitdiag {

PassedOn::PassedOn(const WaitStates& states) : states_(states), place_(wait_patterns().size(), 0) {
  std::vector<bool> used(wait_patterns().size());
  wait_before_.assign(1, 0);
  wait_before_.reserve(states.waits.size() + 1);
  for (const WaitState& wait : states.waits) {
    used[static_cast<std::size_t>(wait.pattern)] = true;
    wait_before_.push_back(wait_before_.back() + wait.wait.count());
  }
  for (std::size_t id = 0; id < used.size(); ++id) {
    if (!used[id]) continue;
    place_[id] = patterns_.size();
    patterns_.push_back(PatternId(id));
  }
  change_.assign(states.waits.size() * patterns_.size(), 0);
  running_.assign((states.first_wait.size() - 1) * patterns_.size(), 0);
  taken_from_.assign(states.first_wait.begin() + 1, states.first_wait.end());
  cost_.resize(patterns_.size());
}

const std::vector<double>& PassedOn::take(std::uint32_t i, const WaitState& wait) {
  const std::size_t location = index(wait.victim.location);
  taken_from_[location] = i;
  for (std::size_t p = 0; p < patterns_.size(); ++p) {
    double& factor = running_[location * patterns_.size() + p];
    factor += change_[i * patterns_.size() + p];
    cost_[p] = factor * static_cast<double>(wait.wait.count());
  }
  return cost_;
}

void PassedOn::add(const Waits& waits, const std::vector<double>& factors) {
  if (waits.first == waits.last) return;
  for (std::size_t p = 0; p < patterns_.size(); ++p) {
    change_[(waits.last - 1) * patterns_.size() + p] += waits.share * factors[p];
    if (waits.first > waits.of_location)
      change_[(waits.first - 1) * patterns_.size() + p] -= waits.share * factors[p];
  }
}

}  // namespace waitdiag
