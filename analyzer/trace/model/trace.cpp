// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/trace.hpp"

#include <algorithm>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

// Returning this much memory takes the system a while: all columns in parallel.
Trace::~Trace() {
  for_each_index(timelines_.size(), [&](std::size_t l) { timelines_[l] = Timeline(); });
}

bool Timeline::is_row_of_polls(std::uint32_t op) const {
  const auto found = std::ranges::lower_bound(polls_, op, {}, &PollRecord::op);
  return found != polls_.end() && found->op == op;
}

std::optional<WaitedFor> Trace::waited_for(CallPathId blocked) const {
  const CallPathId call = call_paths()[index(blocked)].parent;
  return call == kNoCallPath ? std::nullopt : region(call).waits_for();
}

std::string Trace::call_path_name(CallPathId id) const {
  std::string name;
  for (; id != kNoCallPath; id = call_paths_[index(id)].parent) {
    name = name.empty() ? region(id).name : region(id).name + "/" + name;
  }
  return name;
}

}  // namespace waitdiag
