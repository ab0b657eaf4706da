// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/model/trace.hpp"

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {

// Giving so much memory back takes the system a while: all columns at once.
Trace::~Trace() {
  for_each_index(timelines_.size(), [&](std::size_t l) { timelines_[l] = Timeline(); });
}

std::string Trace::call_path_name(CallPathId id) const {
  std::string name;
  for (; id != kNoCallPath; id = call_paths_[index(id)].parent) {
    name = name.empty() ? region(id).name : region(id).name + "/" + name;
  }
  return name;
}

}  // namespace waitdiag
