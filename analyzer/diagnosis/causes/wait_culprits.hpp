// The culprit of every single wait: the call path and location that caused most of it. Where earlier waits of
// the causing process explain more than its own excess, the longest of them passes its culprit on.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/diagnosis/causes/excess.hpp"
#include "analyzer/diagnosis/causes/passed_on.hpp"

namespace waitdiag {

struct WaitCulprit {
  CallPathId call_path = kNoCallPath;  // kNoCallPath: not known
  Location location{};
};

class WaitCulprits {
 public:
  explicit WaitCulprits(const WaitStates& states)
      : states_(states), culprits_(states.waits.size()), passed_by_(states.waits.size(), kNoWait) {}

  // Do earlier waits explain more than the excess?
  static bool is_passed_on(const PassedOn::Waits& cut, const PassedOn::Waits& whole,
                           std::span<const ComparedExcess> excess);
  // Wait `index` was caused at `location` by the excess there, or by the longest of its earlier waits.
  void excess(std::uint32_t index, Location location, std::span<const ComparedExcess> excess);
  void passed_on(std::uint32_t index, const PassedOn::Waits& cut, const PassedOn::Waits& whole);

  // `latest_first`: the order in which waits were settled; an earlier one is settled later.
  std::vector<WaitCulprit> resolve(std::span<const std::uint32_t> latest_first);

 private:
  static constexpr std::uint32_t kNoWait = kNoOp;
  std::uint32_t longest_of(const PassedOn::Waits& waits) const;

  const WaitStates& states_;
  std::vector<WaitCulprit> culprits_;
  std::vector<std::uint32_t> passed_by_;  // by wait: the earlier wait that passed the delay on
};

}  // namespace waitdiag
