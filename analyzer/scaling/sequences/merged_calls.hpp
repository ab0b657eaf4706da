// Aligns the calls of ranks that do not all make the same ones.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/scaling/sequences/described_calls.hpp"

namespace waitdiag {

// By run and rank; ranks with the same calls share a number.
struct CallKinds {
  std::vector<std::vector<DescribedCall>> calls{};  // by kind
  std::vector<std::vector<std::size_t>> kind{};     // by run and rank
};

struct MergedCalls {
  std::vector<DescribedCall> all{};                  // those that any rank makes
  std::vector<std::vector<std::uint32_t>> places{};  // by kind: where its calls are among them
};

// The calls of the kinds `which`, in one order in which the calls of each are a part of all. Those with most
// calls come first in `which`. Nothing: it would take too long. `work`: pairs of calls looked at so far.
std::optional<MergedCalls> merge_calls(const CallKinds& kinds, const std::vector<std::size_t>& which,
                                       SameCall same, std::size_t& work);

inline constexpr std::size_t kMostWork = 400'000'000;  // seconds

}  // namespace waitdiag
