// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/call_path_labels.hpp"

#include <algorithm>
#include <vector>

#include "analyzer/diagnosis/activities/call_tree_paths.hpp"

namespace waitdiag {
namespace {

std::vector<CallPathId> callers_of(const Trace& trace, CallPathId path) {
  std::vector<CallPathId> callers;
  while ((path = trace.call_paths()[index(path)].parent) != kNoCallPath) callers.push_back(path);
  std::reverse(callers.begin(), callers.end());
  return callers;
}

std::string what_it_waited_for(const Trace& trace, CallPathId path) {
  const auto off = trace.region(path).off();
  if (off == OffReason::Preempted) return "processor";
  if (off == OffReason::PageFault) return "pages";
  if (off == OffReason::Unknown) return "unknown";
  if (!off) return "";
  const auto what = trace.waited_for(path);
  return what ? kWaitedForWords[static_cast<std::size_t>(*what)] : "something";
}

const char* kind_of(const Region& region) {
  constexpr const char* kOffKinds[] = {"blocked", "preempted", "perhaps_off_processor",
                                       "page_faults"};  // by OffReason
  if (const auto off = region.off()) return kOffKinds[static_cast<std::size_t>(*off)];
  return region.operation() ? "communication" : "computation";
}

// Code of a library without symbols: "libhdf5.so.103+0xba7b0".
bool is_nameless(const Region& code) {
  return code.name.find("+0x") != std::string::npos;
}

// The nearest one that has a name and is not of the standard library, which the compiler puts into programs, too; or
// the nearest.
CallPathId caller_in_program(const Trace& trace, CallPathId called) {
  const CallPathId nearest = trace.call_paths()[index(called)].parent;
  for (CallPathId caller = nearest; caller != kNoCallPath;
       caller = trace.call_paths()[index(caller)].parent) {
    const Region& code = trace.region(caller);
    if (!code.library && !is_nameless(code) && !code.name.starts_with("std::") &&
        !code.name.starts_with("__gthread_"))
      return caller;
  }
  return nearest == kNoCallPath ? called : nearest;
}

}  // namespace

CallPathLabel label_of(const Trace& trace, CallPathId path) {
  if (path == kNoCallPath) return {.call_path = "(unknown)", .function = "(unknown)"};
  const Region& region = trace.region(path);
  CallPathLabel label{.call_path = trace.call_path_name(path),
                      .function = trace.region(as_written(trace, path)).name,
                      .kind = kind_of(region),
                      .waited_for = what_it_waited_for(trace, path)};
  const bool has_code = !region.operation() && !region.off();
  CallPathId frame = has_code ? path : trace.call_paths()[index(path)].parent;
  if (frame == kNoCallPath) return label;
  const bool in_library = trace.region(frame).library;
  const std::string called = in_library ? trace.region(frame).name : "";
  if (in_library) frame = caller_in_program(trace, frame);
  const Region& code = trace.region(frame);
  if (region.off())
    label.function = trace.region(as_written(trace, frame)).name +
                     (in_library ? " (blocked in " + called + ')' : ' ' + region.name);
  const std::uint32_t call_site = trace.call_paths()[index(frame)].line;
  label.file = code.file;
  const bool at_call = region.operation() || code.line == 0 || (in_library && call_site != 0);
  label.line = at_call ? call_site : code.line;
  return label;
}

CallPathLabel label_of(const Trace& trace, const Activities& activities, CallPathId path) {
  CallPathLabel label = label_of(trace, path);
  const std::vector<CallPathId> pool = activities.pool_of(path);
  if (pool.size() == 1) return label;
  const bool of_one_function = trace.region(path).off() && std::ranges::all_of(pool, [&](CallPathId other) {
                                 return code_of(trace, other) == code_of(trace, path);
                               });
  const auto function_of = [&](CallPathId one) {
    const CallPathId code = code_of(trace, one);
    return code == kNoCallPath ? kNoRegion : trace.call_paths()[index(code)].region;
  };
  // All that runs in a team of threads, under the function that opened it.
  const bool of_team =
      std::ranges::any_of(pool, [&](CallPathId other) { return function_of(other) != function_of(path); });
  if (of_one_function || of_team) return label;
  std::vector<CallPathId> common = callers_of(trace, path);
  for (const CallPathId other : pool) {
    const std::vector<CallPathId> callers = callers_of(trace, other);
    common.erase(std::mismatch(common.begin(), common.end(), callers.begin(), callers.end()).first,
                 common.end());
  }
  label.call_path = common.empty() ? "" : trace.call_path_name(common.back()) + '/';
  label.call_path += ".../" + label.function + " (" + std::to_string(pool.size()) + " call paths)";
  return label;
}

}  // namespace waitdiag
