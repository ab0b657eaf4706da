// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/pattern_choice.hpp"

#include <algorithm>
#include <utility>

#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/nearest_name.hpp"

namespace waitdiag::tool {
namespace {

const WaitPattern& only_pattern(const RemovedWaits& removed) {
  return pattern(removed.patterns.front());
}

RemovedWaits all_waits() {
  RemovedWaits all{.name = "all"};
  for (const WaitPattern* pattern : wait_patterns())
    if (pattern->waiting) all.patterns.push_back(id_of(*pattern));
  return all;
}

// Two parts of one wait, which go together, as one. Throws UsageError where one of them is missing.
std::vector<RemovedWaits> with_whole_waits(std::vector<RemovedWaits> removed) {
  std::vector<RemovedWaits> whole;
  for (RemovedWaits& one : removed) {
    if (one.patterns.empty()) continue;  // joined with its other half
    if (one.patterns.size() == 1 && !only_pattern(one).other_half.empty()) {
      const WaitPattern& half = only_pattern(one);
      const auto other = std::ranges::find_if(removed, [&](const RemovedWaits& two) {
        return two.name == half.other_half && two.patterns.size() == 1;
      });
      if (other == removed.end())
        throw UsageError("--remove-waits: " + std::string(std::min(half.id, half.other_half)) + " and " +
                         std::string(std::max(half.id, half.other_half)) +
                         " are two parts of one wait for the last sender; name both");
      one.name += ", " + other->name;
      one.patterns.push_back(other->patterns.front());
      other->patterns.clear();
    }
    whole.push_back(std::move(one));
  }
  return whole;
}

}  // namespace

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

std::vector<RemovedWaits> removed_waits(const std::vector<std::string>& ids) {
  std::vector<RemovedWaits> removed;
  for (const std::string& id : ids) {
    if (id == "all") return {all_waits()};
    const WaitPattern& pattern = find_pattern(id);
    if (!pattern.waiting)
      throw UsageError("--remove-waits " + id + ": " +
                       (pattern.part_of.empty()
                            ? "this is listed, but is no waiting"
                            : "a part of " + std::string(pattern.part_of) + ": name that"));
    removed.push_back({id, {id_of(pattern)}});
  }
  return with_whole_waits(std::move(removed));
}

}  // namespace waitdiag::tool
