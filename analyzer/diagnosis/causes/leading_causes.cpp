// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/causes/leading_causes.hpp"

#include <algorithm>
#include <numeric>

namespace waitdiag {
namespace {

double waiting_of(const DelayCost& cost) {
  return std::accumulate(cost.direct.begin(), cost.direct.end(), 0.0) +
         std::accumulate(cost.indirect.begin(), cost.indirect.end(), 0.0);
}

}  // namespace

std::vector<CallPathId> leading_causes(const DelayCosts& costs, std::size_t most, double share) {
  struct Caused {
    CallPathId call_path;
    double waiting;
  };
  std::vector<Caused> causes;
  double all = 0;
  for (const DelayCost& cost : costs.costs) {
    const double waiting = waiting_of(cost);
    if (causes.empty() || causes.back().call_path != cost.call_path) causes.push_back({cost.call_path, 0});
    causes.back().waiting += waiting;
    all += waiting;
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Caused& a, const Caused& b) { return a.waiting > b.waiting; });
  std::vector<CallPathId> result;
  for (const Caused& cause : causes) {
    if (result.size() == most || cause.waiting <= share * all) break;
    result.push_back(cause.call_path);
  }
  return result;
}

std::vector<double> waiting_caused(const DelayCosts& costs, std::span<const CallPathId> call_paths) {
  std::vector<double> waiting(call_paths.size());
  for (const DelayCost& cost : costs.costs)
    for (std::size_t i = 0; i < call_paths.size(); ++i)
      if (call_paths[i] == cost.call_path) waiting[i] += waiting_of(cost);
  return waiting;
}

}  // namespace waitdiag
