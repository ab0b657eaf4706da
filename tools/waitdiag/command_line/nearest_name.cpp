// Edit distance that counts two exchanged neighbours as one error: "reprot" is one slip away from "report".
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/nearest_name.hpp"

#include <algorithm>
#include <limits>

namespace waitdiag::tool {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> distance(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      distance[i][j] = std::min({replaced, distance[i - 1][j] + 1, distance[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
    }
  }
  return distance[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(typed, name);
    // If more than a third of the letters are wrong, it is another word, not a slip.
    if (distance < least && 3 * distance <= std::max(typed.size(), name.size())) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace waitdiag::tool
