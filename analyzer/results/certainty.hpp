// How certain it is that a cause caused as much waiting as it is charged with.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace waitdiag {

struct Certainty {
  std::string level{};  // "sure", "probable", or "open": another cause may well have more; or empty
  std::string text{};   // why
  std::optional<std::uint64_t> samples{};  // behind its excess; none: times are exact
  double error = 0;                        // standard error of its share of the waiting
  std::string rival{};                     // the next cause that is a different function
  double rival_share = 0;
};

}  // namespace waitdiag
