// Who begins last among neighbours in an operation, for many overlapping ranges of members.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/patterns/wait_pattern.hpp"

namespace waitdiag {

// Of each 2^k participants beside each other the latest is known: any range is two such rows.
class LatestOfRange {
 public:
  explicit LatestOfRange(std::span<const Participant> participants) : participants_(participants) {
    std::vector<std::uint32_t> single(participants.size());
    std::iota(single.begin(), single.end(), 0);
    latest_.push_back(std::move(single));
    for (std::size_t half = 1; 2 * half <= participants.size(); half *= 2) {
      const std::vector<std::uint32_t>& shorter = latest_.back();
      std::vector<std::uint32_t> longer(participants.size() - 2 * half + 1);
      for (std::size_t i = 0; i < longer.size(); ++i) longer[i] = later(shorter[i], shorter[i + half]);
      latest_.push_back(std::move(longer));
    }
  }

  // Of [first, last), which is not empty; the lowest one on a tie.
  std::uint32_t of(std::uint32_t first, std::uint32_t last) const {
    const auto power = static_cast<std::size_t>(std::bit_width(last - first) - 1);
    const std::vector<std::uint32_t>& rows = latest_[power];
    return later(rows[first], rows[last - (std::uint32_t{1} << power)]);
  }

  // Of two in this order.
  std::uint32_t later(std::uint32_t a, std::uint32_t b) const {
    return participants_[b].begin > participants_[a].begin ? b : a;
  }

 private:
  std::span<const Participant> participants_;
  std::vector<std::vector<std::uint32_t>> latest_;  // by power of two, then first participant
};

}  // namespace waitdiag
