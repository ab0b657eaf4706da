// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/pattern_choice.hpp"

#include <algorithm>

#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/nearest_name.hpp"

namespace waitdiag::tool {

const WaitPattern& find_pattern(const std::string& id) {
  std::vector<std::string> ids;
  for (const WaitPattern* pattern : wait_patterns()) {
    if (pattern->id == id) return *pattern;
    ids.emplace_back(pattern->id);
  }
  const std::string nearest = nearest_name(id, ids);
  throw UsageError("no wait pattern is called '" + id + "'; " +
                   (nearest.empty() ? "`waitdiag patterns` lists them" : "did you mean " + nearest + "?"));
}

std::vector<PatternId> removed_patterns(const std::vector<std::string>& ids) {
  std::vector<PatternId> removed;
  for (const std::string& id : ids) {
    if (id == "all") {
      for (const WaitPattern* pattern : wait_patterns())
        if (pattern->waiting) removed.push_back(id_of(*pattern));
      continue;
    }
    const WaitPattern& pattern = find_pattern(id);
    if (!pattern.waiting)
      throw UsageError("--remove-waits " + id + ": " +
                       (pattern.part_of.empty()
                            ? "this is listed, but is no waiting"
                            : "a part of " + std::string(pattern.part_of) + ": name that"));
    removed.push_back(id_of(pattern));
  }
  for (const PatternId id : removed) {
    const WaitPattern& half = pattern(id);
    const auto is_other = [&](PatternId other) { return pattern(other).id == half.other_half; };
    if (!half.other_half.empty() && std::ranges::none_of(removed, is_other))
      throw UsageError("--remove-waits: " + std::string(std::min(half.id, half.other_half)) + " and " +
                       std::string(std::max(half.id, half.other_half)) +
                       " are two parts of one wait for the last sender; name both");
  }
  return removed;
}

}  // namespace waitdiag::tool
