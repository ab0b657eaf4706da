// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/retiming/what_if.hpp"

namespace waitdiag {

WhatIf what_if(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
               const std::vector<SyncInterval>& intervals, const Activities& activities,
               std::span<const CallPathId> causes, std::uint64_t eager_threshold_bytes) {
  const Dependencies dependencies(trace, sync, states, eager_threshold_bytes);
  WhatIf result;
  const auto runtime = [&](const Change& change) {
    return retime(trace, dependencies, change).last_end - trace.begin();
  };
  for (const Change& change : repairs(trace, sync, states, intervals, activities, dependencies, causes))
    result.runtime.push_back(runtime(change));
  result.ideal_runtime = runtime({.savings = {}, .no_transfer = true});
  result.path = critical_path(trace, dependencies, activities);
  return result;
}

}  // namespace waitdiag
