// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/timed_repairs.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "analyzer/diagnosis/activities/call_tree_paths.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/wording/short_names.hpp"

namespace waitdiag {
namespace {

std::string names_of(const std::vector<TimedRepair>& repairs) {
  std::string names;
  for (const TimedRepair& repair : repairs) names += (names.empty() ? "" : ", ") + repair.cause.call_path;
  return names.empty() ? "this run has none" : "there are: " + names;
}

}  // namespace

std::vector<TimedRepair> timed_repairs(const Trace& trace, Diagnosis& found) {
  std::vector<TimedRepair> repairs;
  std::vector<Change>& changes = found.what_if.repairs;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const CallPathId path = found.spreads[i].call_path;
    const Duration saves = trace.end() - trace.begin() - found.what_if.runtime[i];
    repairs.push_back(
        {label_of(trace, found.compared().activities, path),
         {found.compared().activities.pool_of(path), std::make_shared<const Change>(std::move(changes[i]))},
         saves});
  }
  changes.clear();
  return repairs;
}

std::vector<TimedRepair> repairs_named(const std::vector<TimedRepair>& repairs, const std::string& name) {
  std::vector<TimedRepair> found;
  const auto look = [&](auto is_called) {
    if (found.empty())
      std::ranges::copy_if(repairs, std::back_inserter(found), is_called, &TimedRepair::cause);
  };
  look([&](const CallPathLabel& cause) { return cause.call_path == name; });
  look([&](const CallPathLabel& cause) {
    return cause.function == name || is_end_of_path(name, cause.call_path) ||
           is_end_of_path(name, short_path(cause.call_path));
  });
  if (found.empty())
    throw TraceError("no cause of waiting whose repair was timed is called " + name + "; " +
                     names_of(repairs));
  return found;
}

}  // namespace waitdiag
