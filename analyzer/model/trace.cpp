// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/model/trace.hpp"

namespace waitdiag {

std::string Trace::call_path_name(CallPathId id) const {
  std::string name;
  for (; id != kNoCallPath; id = call_paths_[index(id)].parent) {
    name = name.empty() ? region(id).name : region(id).name + "/" + name;
  }
  return name;
}

}  // namespace waitdiag
