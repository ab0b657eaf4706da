// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/serving/access_targets.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace waitdiag {
namespace {

// What an access of an epoch of two sides waits for is known: its target's calls.
class EpochsOfOrigins {
 public:
  EpochsOfOrigins(const Trace& trace, const SyncPoints& sync) : epochs_(trace.timelines().size()) {
    for (const AccessEpoch& epoch : sync.access_epochs)
      epochs_[index(epoch.location)].emplace_back(epoch.start, epoch.complete);
    for (auto& of_location : epochs_) std::ranges::sort(of_location);
  }
  bool contains(OpRef call) const {
    const auto& of_location = epochs_[index(call.location)];
    const auto behind = std::ranges::upper_bound(of_location, std::pair(call.op, kNoOp));
    return behind != of_location.begin() && call.op <= std::prev(behind)->second;
  }

 private:
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> epochs_;  // by location: first, last call
};

// The first call of a location that was entered after this time while it was not in MPI; invalid: it was, or there is
// none.
OpRef next_call_of(const Trace& trace, Location location, Time time) {
  const Timeline& timeline = trace.timeline(location);
  const auto next = static_cast<std::uint32_t>(std::ranges::upper_bound(timeline.enters(), time) -
                                               timeline.enters().begin());
  const bool is_in_mpi = next > 0 && timeline.leave(next - 1) >= time;
  return is_in_mpi || next == timeline.size() ? OpRef{} : OpRef{location, next};
}

// Calls that unlock all ranks.
std::vector<CallForProgress> unlocks_of_all(const Trace& trace) {
  std::vector<CallForProgress> unlocks;
  for (std::uint32_t l = 0; l < trace.timelines().size(); ++l)
    for (const RmaRecord& record : trace.timelines()[l].rma())
      if (record.what == RmaRecord::What::Unlock && record.target == kNoRank)
        unlocks.push_back({{Location(l), record.op}, kNoRank, record.window});
  return unlocks;
}

// Without itself.
void find_targets_of(const Trace& trace, const CallForProgress& access, std::vector<Location>& targets) {
  targets.clear();
  const auto add = [&](Rank rank) {
    if (const Location target = trace.main_location(rank); target != access.call.location)
      targets.push_back(target);
  };
  if (access.target != kNoRank) return add(access.target);
  for (const Rank member : trace.communicator(access.window).members) add(member);
}

// Accesses with one function, each to one target or to all: some functions only begin an access.
struct Accesses {
  std::vector<CallForProgress> calls{};  // that waited, or need not
  double without = 0, waited = 0;

  bool always_wait() const {
    constexpr double kAlways = 0.9, kFewest = 4;
    return waited >= kFewest && waited >= kAlways * (waited + without);
  }
};

class AccessTargetsSearch {
 public:
  AccessTargetsSearch(const Trace& trace, const Dependencies& dependencies)
      : trace_(trace), dependencies_(dependencies) {}

  // `ended_behind`: nothing but its times tells whether it waited.
  void add(const CallForProgress& access, bool did_wait, bool ended_behind) {
    const RegionId function = trace_.call_paths()[index(trace_.call_path(access.call))].region;
    Accesses& accesses = by_function_[{access.window, function, access.target == kNoRank}];
    find_targets_of(trace_, access, targets_);
    bool may_wait = false, ended_before = false;
    for (const Location target : targets_) {
      const OpRef next = next_call_of(trace_, target, trace_.enter(access.call));
      may_wait = may_wait || next.valid();
      ended_before = ended_before || (next.valid() && trace_.enter(next) > trace_.leave(access.call));
    }
    if (ended_behind) did_wait = may_wait && !ended_before;
    if (did_wait) ++accesses.waited;
    if (did_wait || !may_wait)
      accesses.calls.push_back(access);
    else
      ++accesses.without;
  }
  AccessTargets result() {
    AccessTargets found;
    for (const auto& [function, accesses] : by_function_) {
      if (!accesses.always_wait()) continue;
      for (const CallForProgress& access : accesses.calls) {
        find_targets_of(trace_, access, targets_);
        std::vector<Location>& all = found[access.call].targets;
        all.insert(all.end(), targets_.begin(), targets_.end());
      }
    }
    for (auto& [call, needs] : found) needs.own = own(call, needs.targets);
    return found;
  }

 private:
  Duration own(OpRef call, const std::vector<Location>& targets) const {
    Time released = trace_.leave(call) - dependencies_.own(dependencies_.graph().node(call));
    for (const Location target : targets)
      if (const OpRef next = next_call_of(trace_, target, trace_.enter(call)); next.valid())
        released = std::max(released, std::min(trace_.enter(next), trace_.leave(call)));
    return trace_.leave(call) - released;
  }

  const Trace& trace_;
  const Dependencies& dependencies_;
  std::map<std::tuple<CommId, RegionId, bool>, Accesses> by_function_{};
  std::vector<Location> targets_{};
};

}  // namespace

AccessTargets find_access_targets(const Trace& trace, const SyncPoints& sync, const WaitStates& states,
                                  const Dependencies& dependencies) {
  std::set<OpRef> waited;
  for (const WaitState& wait : states.waits)
    if (pattern(wait.pattern).waits_for == WaitsFor::Progress) waited.insert(wait.victim);
  if (waited.empty()) return {};
  AccessTargetsSearch search(trace, dependencies);
  const EpochsOfOrigins epochs(trace, sync);
  for (const CallForProgress& access : sync.calls_for_progress)
    if (!epochs.contains(access.call)) search.add(access, waited.contains(access.call), false);
  for (const CallForProgress& unlock : unlocks_of_all(trace)) search.add(unlock, false, true);
  return search.result();
}

}  // namespace waitdiag
