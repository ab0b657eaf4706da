// Binary search that begins where the result probably is.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

namespace waitdiag {

// The first number below `size` for which `lies_before` is false, as it is for all that follow; otherwise
// `size`.
template <typename LiesBefore>
std::size_t first_not_before(std::size_t size, std::size_t guess, LiesBefore lies_before) {
  std::size_t first = guess, last = guess;  // the result is one of [first, last]
  for (std::size_t step = 1; first > 0 && !lies_before(first - 1); step *= 2) {
    last = first - 1;
    first -= std::min(step, first);
  }
  for (std::size_t step = 1; last < size && lies_before(last); step *= 2) {
    first = last + 1;
    last = std::min(last + step, size);
  }
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (lies_before(middle)) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

}  // namespace waitdiag
