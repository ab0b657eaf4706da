// How large a table of ranks over time may be.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// A table of all ranks must stay readable, and small.
inline std::size_t columns_over_time(const Trace& trace) {
  constexpr std::size_t kCells = 16384, kFewest = 4, kMost = 64;
  return std::clamp(kCells / std::max<std::size_t>(1, trace.ranks()), kFewest, kMost);
}

}  // namespace waitdiag
