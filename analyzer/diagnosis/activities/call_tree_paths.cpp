// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/call_tree_paths.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "analyzer/wording/short_names.hpp"

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
  CallPathId a_last = kNoCallPath, b_last = kNoCallPath;
  while (a != b) {
    a_last = std::exchange(a, caller(trace, a));
    b_last = std::exchange(b, caller(trace, b));
  }
  // If they differ in the line of one function, that function called both.
  const CallPathId function = trace.without_sites(a_last);
  return function != kNoCallPath && function == trace.without_sites(b_last) ? function : a;
}

CallPathId code_of(const Trace& trace, CallPathId path) {
  if (path == kNoCallPath || !trace.region(path).off()) return path;
  return caller_outside_libraries(trace, path);
}

bool is_outlined(const Region& region) {
  return region.name.find("._omp_fn.") != std::string::npos || region.name.starts_with(".omp_outlined.");
}

CallPathId caller_outside_libraries(const Trace& trace, CallPathId path) {
  do path = caller(trace, path);
  while (path != kNoCallPath && trace.region(path).library);
  return path;
}

CallPathId as_written(const Trace& trace, CallPathId path) {
  while (path != kNoCallPath && is_outlined(trace.region(path))) {
    const CallPathId around = caller_outside_libraries(trace, path);
    if (around == kNoCallPath) break;
    path = around;
  }
  return path;
}

bool is_end_of_path(std::string_view name, std::string_view path) {
  return path.ends_with(name) && (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

std::vector<bool> call_paths_named(const Trace& trace, std::string_view name) {
  std::vector<bool> meant(trace.call_paths().size() + 1, false);
  const auto look = [&](auto name_of) {
    for (std::size_t path = 0; path < trace.call_paths().size(); ++path)
      meant[path] = is_end_of_path(name, name_of(trace.call_path_name(CallPathId(path))));
  };
  look([](const std::string& path) { return path; });
  if (std::ranges::count(meant, true) == 0) look([](const std::string& path) { return short_path(path); });
  for (std::size_t path = 0; path < trace.call_paths().size(); ++path) {
    for (CallPathId up = CallPathId(path); up != kNoCallPath && !meant[path];
         up = trace.call_paths()[index(up)].parent)
      meant[path] = meant[index(up)];
  }
  return meant;
}

}  // namespace waitdiag
