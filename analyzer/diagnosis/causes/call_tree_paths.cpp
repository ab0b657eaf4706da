// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/call_tree_paths.hpp"

namespace waitdiag {
namespace {

CallPathId caller(const Trace& trace, CallPathId path) {
  return path == kNoCallPath ? kNoCallPath : trace.call_paths()[index(path)].parent;
}

std::size_t depth(const Trace& trace, CallPathId path) {
  std::size_t result = 0;
  for (; path != kNoCallPath; path = caller(trace, path)) ++result;
  return result;
}

}  // namespace

CallPathId innermost_common_caller(const Trace& trace, CallPathId opening, CallPathId closing) {
  CallPathId a = caller(trace, opening), b = caller(trace, closing);
  if (opening == kNoCallPath) return b;
  if (closing == kNoCallPath) return a;
  std::size_t a_depth = depth(trace, a), b_depth = depth(trace, b);
  for (; a_depth > b_depth; --a_depth) a = caller(trace, a);
  for (; b_depth > a_depth; --b_depth) b = caller(trace, b);
  while (a != b) {
    a = caller(trace, a);
    b = caller(trace, b);
  }
  return a;
}

bool is_end_of_path(std::string_view name, std::string_view path) {
  return path.ends_with(name) && (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

std::vector<bool> call_paths_named(const Trace& trace, std::string_view name) {
  std::vector<bool> meant(trace.call_paths().size() + 1, false);
  for (std::size_t path = 0; path < trace.call_paths().size(); ++path) {
    meant[path] = is_end_of_path(name, trace.call_path_name(CallPathId(path)));
  }
  for (std::size_t path = 0; path < trace.call_paths().size(); ++path) {
    for (CallPathId up = CallPathId(path); up != kNoCallPath && !meant[path];
         up = trace.call_paths()[index(up)].parent)
      meant[path] = meant[index(up)];
  }
  return meant;
}

}  // namespace waitdiag
