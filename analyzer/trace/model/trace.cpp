// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/trace.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

// Returning this much memory takes the system a while: all columns in parallel.
Trace::~Trace() {
  for_each_index(timelines_.size(), [&](std::size_t l) { timelines_[l] = Timeline(); });
}

std::optional<WaitedFor> Trace::waited_for(CallPathId blocked) const {
  const CallPathId call = call_paths()[index(blocked)].parent;
  return call == kNoCallPath ? std::nullopt : region(call).waits_for();
}

std::string Trace::call_path_name(CallPathId id) const {
  std::vector<std::string_view> names;
  std::size_t length = 0;
  for (; id != kNoCallPath; id = call_paths_[index(id)].parent) {
    if (names.empty() && region(id).name.empty()) continue;
    names.push_back(region(id).name);
    length += names.back().size() + 1;
  }
  std::string name;
  name.reserve(length);
  for (auto part = names.rbegin(); part != names.rend(); ++part) {
    if (part != names.rbegin()) name += '/';
    name += *part;
  }
  return name;
}

}  // namespace waitdiag
