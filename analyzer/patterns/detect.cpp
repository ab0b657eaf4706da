// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>

#include "analyzer/parallel/parallel.hpp"
#include "analyzer/patterns/detect_collectives.hpp"
#include "analyzer/patterns/detect_messages.hpp"

namespace waitdiag {
namespace {

// `by_location`: all waits of every location, in any order.
void join(std::vector<DetectedWaits>& by_location, WaitStates& result) {
  result.first_wait.push_back(0);
  for (const DetectedWaits& found : by_location) {
    result.first_wait.push_back(result.first_wait.back() + static_cast<std::uint32_t>(found.waits.size()));
  }
  result.waits.resize(result.first_wait.back());
  for_each_index(by_location.size(), [&](std::size_t l) {
    std::vector<WaitState>& waits = by_location[l].waits;
    std::stable_sort(waits.begin(), waits.end(), [](const WaitState& a, const WaitState& b) {
      return std::tie(a.victim.op, a.pattern) < std::tie(b.victim.op, b.pattern);
    });
    std::copy(waits.begin(), waits.end(), result.waits.begin() + result.first_wait[l]);
    std::vector<WaitState>().swap(waits);
  });
}

}  // namespace

WaitStates detect(const Trace& trace, const SyncPoints& sync, const DetectOptions& options) {
  WaitStates result;
  std::vector<DetectedWaits> by_location = detect_messages(trace, sync, options);
  ListedTimes listed(trace);
  for (const DetectedWaits& location : by_location) listed.merge(location.listed);
  for (const DetectedWaits& block : detect_collectives(trace, sync, options, result.anomalies)) {
    for (const WaitState& wait : block.waits) by_location[index(wait.victim.location)].waits.push_back(wait);
    listed.merge(block.listed);
  }
  join(by_location, result);
  result.listed = listed.take();
  return result;
}

}  // namespace waitdiag
