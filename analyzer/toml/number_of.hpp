// A number that a user typed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace waitdiag {

// Finite and not negative; nothing else may stand in `text`.
inline std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace waitdiag
