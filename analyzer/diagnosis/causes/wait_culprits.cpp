// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/wait_culprits.hpp"

#include <algorithm>
#include <utility>

namespace waitdiag {

void WaitCulprits::excess(std::uint32_t index, Location location, std::span<const ComparedExcess> excess) {
  const auto most =
      std::max_element(excess.begin(), excess.end(),
                       [](const ComparedExcess& a, const ComparedExcess& b) { return a.net < b.net; });
  if (most != excess.end() && most->net > 0) culprits_[index] = {most->call_path, location};
}

bool WaitCulprits::is_passed_on(const PassedOn::Waits& cut, const PassedOn::Waits& whole,
                                std::span<const ComparedExcess> excess) {
  double own = 0;
  for (const ComparedExcess& part : excess) own += part.net;
  return cut.nanoseconds + whole.nanoseconds > own;
}

void WaitCulprits::passed_on(std::uint32_t index, const PassedOn::Waits& cut, const PassedOn::Waits& whole) {
  passed_by_[index] = longest_of(cut.nanoseconds > whole.nanoseconds ? cut : whole);
}

// In long intervals only the last waits are examined: close enough, and the cost stays bounded.
std::uint32_t WaitCulprits::longest_of(const PassedOn::Waits& waits) const {
  constexpr std::uint32_t kLookBack = 64;
  const std::uint32_t first = waits.last - std::min(kLookBack, waits.last - waits.first);
  std::uint32_t longest = kNoWait;
  for (std::uint32_t i = first; i < waits.last; ++i) {
    if (longest == kNoWait || states_.waits[i].wait > states_.waits[longest].wait) longest = i;
  }
  return longest;
}

std::vector<WaitCulprit> WaitCulprits::resolve(std::span<const std::uint32_t> latest_first) {
  for (std::size_t i = latest_first.size(); i-- > 0;) {
    const std::uint32_t wait = latest_first[i];
    if (passed_by_[wait] != kNoWait) culprits_[wait] = culprits_[passed_by_[wait]];
  }
  return std::move(culprits_);
}

}  // namespace waitdiag
