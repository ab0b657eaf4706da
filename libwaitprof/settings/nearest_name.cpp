// Levenshtein's distance, one row at a time, on the stack.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/settings/nearest_name.hpp"

#include <algorithm>
#include <cstring>

namespace waitprof {

namespace {

constexpr std::size_t kLongest = 64;

std::size_t edit_distance(const char* a, const char* b) noexcept {
  const std::size_t columns = std::min(std::strlen(b), kLongest);
  std::size_t row[kLongest + 1];
  for (std::size_t j = 0; j <= columns; ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; a[i - 1] != '\0'; ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= columns; ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[columns];
}

}  // namespace

const char* nearest_name(const char* wanted, std::size_t count,
                         const char* (*name_at)(std::size_t)) noexcept {
  const char* nearest = name_at(0);
  for (std::size_t i = 1; i < count; ++i) {
    if (edit_distance(wanted, name_at(i)) < edit_distance(wanted, nearest)) {
      nearest = name_at(i);
    }
  }
  return nearest;
}

}  // namespace waitprof
