// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/functions_called.hpp"

#include "analyzer/diagnosis/activities/call_tree_paths.hpp"

namespace waitdiag {

FunctionsCalled::FunctionsCalled(const Trace& trace, const Profile& profile)
    : trace_(trace), profile_(profile), inclusive_(trace.call_paths().size()) {
  for (const ProfileEntry& entry : profile.entries)
    if (entry.call_path != kNoCallPath) inclusive_[index(entry.call_path)] += entry.nanoseconds;
  for (std::size_t i = inclusive_.size(); i-- > 0;)  // callers come before what they call
    if (const CallPathId by = trace.call_paths()[i].parent; by != kNoCallPath)
      inclusive_[index(by)] += inclusive_[i];
}

CallPathId FunctionsCalled::asked_for(CallPathId path) const {
  CallPathId code = code_of(trace_, path);
  while (code != kNoCallPath && only_calls(caller(code), code)) code = caller(code);
  return code;
}

// Not the program's outermost function, nor the innermost round of a recursion, which does more in the others.
bool FunctionsCalled::only_calls(CallPathId path, CallPathId called) const {
  constexpr double kHardlyMore = 0.05;  // than what it calls
  if (path == kNoCallPath || caller(path) == kNoCallPath) return false;
  for (CallPathId outer = caller(path); outer != kNoCallPath; outer = caller(outer))
    if (function(outer) == function(path)) return false;
  const double in_called = inclusive_[index(called)];
  return inclusive_[index(path)] - in_called <= kHardlyMore * in_called;
}

std::map<CallPathId, std::vector<double>> FunctionsCalled::times_in(RegionId function) const {
  std::map<CallPathId, std::vector<double>> times;
  for (const ProfileEntry& entry : profile_.entries) {
    CallPathId path = entry.call_path;
    while (path != kNoCallPath && this->function(path) != function) path = caller(path);
    if (path == kNoCallPath) continue;
    std::vector<double>& of_path = times.try_emplace(path, trace_.ranks()).first->second;
    of_path[index(trace_.rank(entry.location))] += entry.nanoseconds;
  }
  return times;
}

}  // namespace waitdiag
