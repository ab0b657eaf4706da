// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/calibration/measured_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace waitdiag {
namespace {

constexpr int kPasses = 5;
constexpr int kSecondLooks = 3;     // measurements of sizes that took too long
constexpr double kSameAgain = 0.1;  // relative
constexpr double kRepeats = 1e-9;   // relative spread below which times count as always the same

}  // namespace

void MeasuredSizes::add(std::span<const std::uint64_t> sizes) {
  std::vector<std::uint64_t> open;
  for (const std::uint64_t bytes : sizes)
    if (!samples_.contains(bytes)) open.push_back(bytes);
  for (int pass = 0; pass < kPasses && (pass == 0 || !laboratory_.time_is_over()); ++pass) {
    for (const std::uint64_t bytes : open) {
      const auto known = samples_.find(bytes);
      if (known != samples_.end() && known->second.spread < kRepeats) continue;
      const TimedSize sample = laboratory_.ping_pong(pair_, bytes, false);
      if (known == samples_.end() || sample.ns < known->second.ns) samples_[bytes] = sample;
    }
  }
}

std::size_t MeasuredSizes::leave_out_disturbed() {
  std::vector<std::uint64_t> suspects;
  for (int round = 0; round < kSecondLooks; ++round) {
    suspects = too_long(list());
    for (const std::uint64_t bytes : suspects) {
      if (laboratory_.time_is_over() || confirmed_.contains(bytes)) continue;
      const TimedSize again = laboratory_.ping_pong(pair_, bytes, false);
      if (std::abs(again.ns / samples_[bytes].ns - 1) < kSameAgain) confirmed_.insert(bytes);
      if (again.ns < samples_[bytes].ns) samples_[bytes] = again;
    }
  }
  return static_cast<std::size_t>(std::ranges::count_if(suspects, [this](std::uint64_t bytes) {
    return !confirmed_.contains(bytes) && samples_.erase(bytes) > 0;
  }));
}

std::vector<TimedSize> MeasuredSizes::list() const {
  std::vector<TimedSize> all;
  for (const auto& [bytes, sample] : samples_) all.push_back(sample);
  return all;
}

}  // namespace waitdiag
