// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <tuple>

#include "analyzer/diagnosis/detection/detect_waits.hpp"
#include "analyzer/trace/model/counts.hpp"
#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

// A call that completes several requests is inside MPI only once: if one of them is a nonblocking collective,
// only the operation that the call waited for longest counts. `waits`: of one location, by call.
void keep_longest_of_each_call(const SyncPoints& sync, std::vector<WaitState>& waits) {
  const auto is_collective = [](const WaitState& wait) {
    return pattern(wait.pattern).on_collective != nullptr;
  };
  const auto same_operation = [&](const WaitState& a, const WaitState& b) {
    return a.sync == b.sync && is_collective(a) == is_collective(b);
  };
  std::vector<WaitState> kept;
  kept.reserve(waits.size());
  for (auto first = waits.begin(), last = first; first != waits.end(); first = last) {
    last =
        std::find_if(first, waits.end(), [&](const WaitState& wait) { return wait.victim != first->victim; });
    const bool mixed = std::any_of(first, last, [&](const WaitState& wait) {
      return is_collective(wait) && !sync.collectives[wait.sync].in_one_piece();
    });
    const auto longest =
        std::max_element(first, last, [](const auto& a, const auto& b) { return a.wait < b.wait; });
    std::copy_if(first, last, std::back_inserter(kept),
                 [&](const WaitState& wait) { return !mixed || same_operation(wait, *longest); });
  }
  waits = std::move(kept);
}

// `by_location`: all waits of every location, in any order.
void join(std::vector<DetectedWaits>& by_location, const SyncPoints& sync, WaitStates& result) {
  const bool any_in_several = std::ranges::any_of(
      sync.collectives, [](const CollectiveInstance& instance) { return !instance.in_one_piece(); });
  for_each_index(by_location.size(), [&](std::size_t l) {
    std::vector<WaitState>& waits = by_location[l].waits;
    std::stable_sort(waits.begin(), waits.end(), [](const WaitState& a, const WaitState& b) {
      return std::tie(a.victim.op, a.pattern) < std::tie(b.victim.op, b.pattern);
    });
    if (any_in_several) keep_longest_of_each_call(sync, waits);
  });
  result.first_wait.push_back(0);
  for (const DetectedWaits& found : by_location) {
    result.first_wait.push_back(
        counted<std::uint32_t>(result.first_wait.back() + found.waits.size(), "waits"));
  }
  result.waits.resize(result.first_wait.back());
  for_each_index(by_location.size(), [&](std::size_t l) {
    std::vector<WaitState>& waits = by_location[l].waits;
    std::copy(waits.begin(), waits.end(), result.waits.begin() + result.first_wait[l]);
    std::vector<WaitState>().swap(waits);
  });
}

}  // namespace

WaitStates detect(const Trace& trace, const SyncPoints& sync, const DetectOptions& options) {
  WaitStates result;
  std::vector<DetectedWaits> by_location = detect_messages(trace, sync, options, result);
  ListedTimes listed(trace), candidates(trace);
  for (const DetectedWaits& location : by_location) {
    listed.merge(location.listed);
    candidates.merge(location.candidates);
  }
  ClockPairs clocks;
  for (const DetectedWaits& block : detect_collectives(trace, sync, options, result.anomalies)) {
    for (const WaitState& wait : block.waits) by_location[index(wait.victim.location)].waits.push_back(wait);
    listed.merge(block.listed);
    clocks.merge(block.clocks);
  }
  const DetectedWaits one_sided = detect_one_sided(trace, sync, options);
  for (const WaitState& wait : one_sided.waits)
    by_location[index(wait.victim.location)].waits.push_back(wait);
  if (!options.scalasca)
    for (const WaitState& wait : detect_signals(trace))
      by_location[index(wait.victim.location)].waits.push_back(wait);
  listed.merge(one_sided.listed);
  join(by_location, sync, result);
  result.listed = listed.take();
  result.candidates = candidates.take();
  result.clock_pairs = clocks.rows();
  clocks.report(result.anomalies, "clock_violation_pairs_collective", "collectives");
  result.window_clock_pairs = one_sided.clocks.rows();
  one_sided.clocks.report(result.anomalies, "clock_violation_pairs_window", "epochs of windows");
  return result;
}

}  // namespace waitdiag
