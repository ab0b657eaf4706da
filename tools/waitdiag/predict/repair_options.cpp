// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/repair_options.hpp"

#include <algorithm>

namespace waitdiag::tool {

Repairs::Repairs(const Trace& trace, bool wanted, Progress& progress) {
  if (!wanted) return;
  Stages stages([&progress](std::string_view step, double fraction) { progress.show(step, fraction); });
  Diagnosis found = diagnose(trace, {.replays = Replays::Never}, stages);
  all_ = timed_repairs(trace, found);
}

std::vector<TimedRepair> Repairs::meant(const std::vector<std::string>& names) const {
  std::vector<TimedRepair> result;
  for (const std::string& name : names)
    for (const TimedRepair& one : repairs_named(all_, name)) {
      const auto is_same = [&](const TimedRepair& other) { return other.repair.change == one.repair.change; };
      if (std::ranges::none_of(result, is_same)) result.push_back(one);
    }
  return result;
}

std::vector<Repair> Repairs::named(const std::vector<std::string>& names) const {
  std::vector<Repair> result;
  for (const TimedRepair& one : meant(names)) result.push_back(one.repair);
  return result;
}

std::vector<PredictionReport::Repairs::Cause> Repairs::rows(const std::vector<std::string>& names) const {
  std::vector<PredictionReport::Repairs::Cause> result;
  for (const TimedRepair& one : meant(names))
    result.push_back({one.cause.call_path, std::chrono::duration<double>(one.saves).count()});
  return result;
}

}  // namespace waitdiag::tool
