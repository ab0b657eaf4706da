// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/sync/match.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace waitdiag {
namespace {

using What = RmaRecord::What;

// Epochs of one window between one origin and one target, in calling order.
struct EpochsOfPair {
  std::vector<std::size_t> accesses, exposures;  // indices of epochs
};

class RmaMatch {
 public:
  RmaMatch(const Trace& trace, SyncPoints& sync) : trace_(trace), sync_(sync) {}

  void run() {
    for (std::size_t l = 0; l < trace_.timelines().size(); ++l) read(Location(l));
    for (auto& [key, origins] : accessed_)
      for (auto& [origin, ends] : origins) std::sort(ends.begin(), ends.end());
    for (const auto& [key, pair] : pairs_) {
      const auto& [window, origin, target, excerpt] = key;
      join(pair, accessed_[{window, target}][origin]);
    }
    for (auto& [key, epochs] : locks_) order(epochs);
    for (const auto& [key, origins] : accessed_) note_accessed(key, origins);
    if (open_ + unmatched_ > 0) {
      sync_.anomalies.add("rma_epochs_unmatched", Gravity::Warning,
                          "epochs of one-sided communication lack their other side in the trace",
                          open_ + unmatched_);
    }
  }

 private:
  struct Open {
    std::map<CommId, std::size_t> access, exposure;  // by window: index of the epoch
    std::map<std::pair<CommId, Rank>, LockEpoch> locks;
    std::map<std::pair<CommId, Rank>, bool> exclusive;
    std::map<CommId, std::set<Rank>> accessed;  // since the last flush, but for fences
  };

  void read(Location location) {
    Open open;
    for (const RmaRecord& record : trace_.timeline(location).rma()) take(location, record, open);
    open_ += open.access.size() + open.exposure.size() + open.locks.size();
  }

  void take(Location location, const RmaRecord& record, Open& open) {
    const auto target = std::pair(record.window, record.target);
    switch (record.what) {
      case What::Start:
        open.access[record.window] = sync_.access_epochs.size();
        for (const Rank rank : group(record))
          pairs_[{record.window, trace_.rank(location), rank, excerpt(location, record)}].accesses.push_back(
              sync_.access_epochs.size());
        sync_.access_epochs.push_back({.location = location, .start = record.op});
        break;
      case What::Complete:
        close(open.access, record, [&](std::size_t i) { sync_.access_epochs[i].complete = record.op; });
        note_completion(location, record, open);
        break;
      case What::Post:
        open.exposure[record.window] = sync_.exposure_epochs.size();
        for (const Rank rank : group(record))
          pairs_[{record.window, rank, trace_.rank(location), excerpt(location, record)}].exposures.push_back(
              sync_.exposure_epochs.size());
        sync_.exposure_epochs.push_back({.location = location, .post = record.op});
        break;
      case What::Wait:
        close(open.exposure, record, [&](std::size_t i) { sync_.exposure_epochs[i].wait = record.op; });
        break;
      case What::Lock:
        open.locks[target] = {.location = location, .calls = {record.op}};
        open.exclusive[target] = record.exclusive;
        note_progress(location, record, record.target);
        break;
      case What::Unlock:
        unlock(target, record, open);
        break;
      case What::Flush:
        for (auto& [held, epoch] : open.locks) {
          const bool meant = record.target == kNoRank || record.target == held.second;
          if (held.first == record.window && meant) epoch.calls.push_back(record.op);
        }
        note_completion(location, record, open);
        break;
      case What::Done:  // the target may know nothing of it yet
        break;
      default:
        access(location, target, record, open);
        break;
    }
  }

  std::uint64_t excerpt(Location location, const RmaRecord& record) const {
    return trace_.timeline(location).excerpt_of(record.op);
  }

  std::vector<Rank> group(const RmaRecord& record) const {
    std::vector<Rank> ranks;
    if (record.group == kNoPeerList) return ranks;
    for (const PeerRun& run : trace_.peer_lists()[index(record.group)].sent) {
      for (std::uint32_t rank = run.first; rank <= run.last && rank < trace_.ranks(); ++rank)
        ranks.push_back(Rank(rank));
    }
    return ranks;
  }

  template <typename Close>
  void close(std::map<CommId, std::size_t>& open, const RmaRecord& record, Close close) {
    const auto epoch = open.find(record.window);
    if (epoch == open.end()) {
      ++unmatched_;
      return;
    }
    close(epoch->second);
    open.erase(epoch);
  }

  void unlock(std::pair<CommId, Rank> target, const RmaRecord& record, Open& open) {
    const auto epoch = open.locks.find(target);
    if (epoch == open.locks.end()) {
      ++unmatched_;
      return;
    }
    note_completion(epoch->second.location, record, open);
    epoch->second.calls.push_back(record.op);
    // Locks of all ranks are shared and name no target: nothing tells which other locks they exclude.
    if (target.second != kNoRank)
      locks_[target].push_back({std::move(epoch->second), open.exclusive[target]});
    open.locks.erase(epoch);
  }

  void access(Location location, std::pair<CommId, Rank> target, const RmaRecord& record, Open& open) {
    if (const auto epoch = open.access.find(record.window); epoch != open.access.end()) {
      sync_.access_epochs[epoch->second].accesses.push_back(record.op);
      open.accessed[record.window].insert(record.target);
    }
    const auto epoch = open.locks.find(target);
    if (epoch != open.locks.end()) epoch->second.calls.push_back(record.op);
    if (epoch != open.locks.end() || open.locks.contains({record.window, kNoRank})) {  // or of all
      note_progress(location, record, record.target);
      open.accessed[record.window].insert(record.target);
    }
    accessed_[target][trace_.rank(location)].push_back(trace_.timeline(location).leave(record.op));
  }

  void note_progress(Location location, const RmaRecord& record, Rank target) {
    if (target == trace_.rank(location)) return;
    const CallForProgress call{{location, record.op}, target, record.window};
    if (sync_.calls_for_progress.empty() || sync_.calls_for_progress.back() != call)
      sync_.calls_for_progress.push_back(call);
  }

  // A flush or unlock that names no target may have waited for any that was accessed.
  void note_completion(Location location, const RmaRecord& record, Open& open) {
    if (record.target != kNoRank) return note_progress(location, record, record.target);
    for (const Rank target : std::exchange(open.accessed[record.window], {}))
      note_progress(location, record, target);
  }

  // `accesses`: ends of the origin's accesses to the target, in time order.
  void join(const EpochsOfPair& pair, const std::vector<Time>& accesses) {
    const std::size_t pairs = std::min(pair.accesses.size(), pair.exposures.size());
    unmatched_ += std::max(pair.accesses.size(), pair.exposures.size()) - pairs;
    for (std::size_t k = 0; k < pairs; ++k) {
      AccessEpoch& access = sync_.access_epochs[pair.accesses[k]];
      ExposureEpoch& exposure = sync_.exposure_epochs[pair.exposures[k]];
      const OpRef post{exposure.location, exposure.post};
      access.posts.push_back(post);
      if (access.complete == kNoOp) continue;
      const OpRef complete{access.location, access.complete};
      exposure.completes.push_back(complete);
      // What comes later belongs to another epoch, even while this target still waits for another origin.
      const auto after = std::upper_bound(accesses.begin(), accesses.end(), trace_.enter(complete));
      if (after != accesses.begin()) exposure.last_access = std::max(exposure.last_access, *(after - 1));
    }
  }

  struct Held {
    LockEpoch epoch;
    bool exclusive;
  };
  OpRef release(const Held& held) const { return {held.epoch.location, held.epoch.calls.back()}; }

  void order(std::vector<Held>& held) {
    std::sort(held.begin(), held.end(), [&](const Held& a, const Held& b) {
      return std::pair(trace_.leave(release(a)), release(a)) <
             std::pair(trace_.leave(release(b)), release(b));
    });
    // Shared locks exclude only exclusive ones: those that follow an exclusive lock all waited for it.
    const Held* last_exclusive = nullptr;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const Held* const last = i > 0 ? &held[i - 1] : nullptr;
      const Held* const excluding = held[i].exclusive ? last : last_exclusive;
      if (excluding != nullptr && held[i].epoch.location != excluding->epoch.location)
        held[i].epoch.previous = release(*excluding);
      if (held[i].exclusive) last_exclusive = &held[i];
    }
    for (const Held& one : held) sync_.lock_epochs.push_back(one.epoch);
  }

  using Origins = std::map<Rank, std::vector<Time>>;  // ends of the accesses of each

  void note_accessed(std::pair<CommId, Rank> target, const Origins& origins) {
    AccessedWindow accessed{target.first, target.second, {}};
    for (const auto& [origin, ends] : origins)
      accessed.ends.insert(accessed.ends.end(), ends.begin(), ends.end());
    if (accessed.ends.empty()) return;
    std::sort(accessed.ends.begin(), accessed.ends.end());
    sync_.accessed_windows.push_back(std::move(accessed));
  }

  const Trace& trace_;
  SyncPoints& sync_;
  std::map<std::tuple<CommId, Rank, Rank, std::uint64_t>, EpochsOfPair>
      pairs_;                                                   // window, origin, target, excerpt
  std::map<std::pair<CommId, Rank>, std::vector<Held>> locks_;  // window, target
  std::map<std::pair<CommId, Rank>, Origins> accessed_;         // the same
  std::uint64_t open_ = 0, unmatched_ = 0;
};

}  // namespace

void match_rma(const Trace& trace, SyncPoints& sync) {
  RmaMatch(trace, sync).run();
}

}  // namespace waitdiag
