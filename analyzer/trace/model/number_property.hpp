// Numbers that the recorder wrote into the archive's properties.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Nothing: the archive has no such property, or it is not a number.
inline std::optional<std::int64_t> number_property(const Trace& trace, const char* name) {
  const auto property = trace.facts().properties.find(name);
  if (property == trace.facts().properties.end()) return std::nullopt;
  const std::string& text = property->second;
  std::int64_t number = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  return trouble == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace waitdiag
