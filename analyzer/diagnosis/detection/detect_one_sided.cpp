// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/detection/detect_waits.hpp"
#include "analyzer/diagnosis/detection/waited_until.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace waitdiag {
namespace {

class OneSidedDetection {
 public:
  OneSidedDetection(const Trace& trace, DetectedWaits& found) : trace_(trace), found_(found) {}

  // The wait lies in the one call of the epoch that was running when the last target opened its window.
  void late_posts(const AccessEpoch& epoch) {
    const OpRef post = last_of(epoch.posts);
    if (!post.valid()) return;
    std::vector<std::uint32_t> calls{epoch.complete, epoch.start};
    calls.insert(calls.end(), epoch.accesses.begin(), epoch.accesses.end());
    for (const std::uint32_t call : calls) {
      if (call == kNoOp) continue;
      const OpRef victim{epoch.location, call};
      if (!add(late_post, victim, post, waited_until(times(victim), trace_.enter(post)))) continue;
      posted_late_[victim] = trace_.leave(post);
      held_up_[victim] = post;
      return;
    }
  }

  void early_waits(const ExposureEpoch& epoch) {
    const OpRef complete = last_of(epoch.completes);
    if (!complete.valid() || epoch.wait == kNoOp) return;
    const OpRef victim{epoch.location, epoch.wait};
    const Time released = trace_.enter(complete);
    if (!add(early_wait, victim, complete, waited_at_most_until(times(victim), released))) return;
    const Duration late =
        std::min(released, trace_.leave(victim)) - std::max(epoch.last_access, trace_.enter(victim));
    if (late > Duration::zero()) found_.listed.add(id_of(late_complete), victim, late);
  }

  // Counts targets that left MPI_Win_wait before an origin entered its MPI_Win_complete, and origins that had
  // finished before a target entered its MPI_Win_post.
  void check_clocks(const ExposureEpoch& epoch) {
    if (epoch.wait == kNoOp) return;
    for (const OpRef complete : epoch.completes) check_clocks(complete, {epoch.location, epoch.wait});
  }
  void check_clocks(const AccessEpoch& epoch) {
    if (epoch.complete == kNoOp) return;
    for (const OpRef post : epoch.posts) check_clocks(post, {epoch.location, epoch.complete});
  }

  // Either the lock call itself waits, or the first call that needs the lock: the one that took longest is
  // chosen.
  void contention(const LockEpoch& epoch) {
    if (!epoch.previous.valid()) return;
    const Time released = trace_.leave(epoch.previous);
    const auto waited = [&](std::uint32_t call) {
      return waited_at_most_until(times({epoch.location, call}), released);
    };
    const auto longest = std::max_element(epoch.calls.begin(), epoch.calls.end(),
                                          [&](auto a, auto b) { return waited(a) < waited(b); });
    const OpRef victim{epoch.location, *longest};
    if (add(lock_contention, victim, epoch.previous, waited(*longest))) contended_.insert(victim);
  }

  // One call with all its targets: it continued when the last of them entered MPI. A lock held by another
  // process explains a call better, and a window that was opened late explains the time until then.
  void lack_of_progress(std::span<const CallForProgress> targets) {
    const OpRef call = targets.front().call;
    if (contended_.contains(call)) return;
    const auto posted = posted_late_.find(call);
    const Time begin = posted == posted_late_.end() ? trace_.enter(call) : posted->second;
    OpRef last;
    for (const CallForProgress& accessed : targets) {
      if (accessed.target != kNoRank) {
        last = later_progress(call, begin, accessed.target, last);
        continue;
      }
      for (const Rank member : trace_.communicator(accessed.window).members)
        last = later_progress(call, begin, member, last);
    }
    if (!last.valid()) return;
    // The target may have been about to leave an MPI call when this one began.
    const Timeline& target = trace_.timeline(last.location);
    const Time left = last.op > 0 ? target.leave(last.op - 1) : Time::min();
    if (add(wait_for_progress, call, last, trace_.enter(last) - std::max(begin, left))) held_up_[call] = last;
  }

  // An origin tells none of its targets that it is done until its accesses to all of them are: while one of these is
  // not in MPI, the others wait for it, too.
  void waits_through_origins(const ExposureEpoch& epoch) {
    if (epoch.wait == kNoOp) return;
    const OpRef victim{epoch.location, epoch.wait};
    Time from = trace_.enter(victim);
    OpRef last;
    for (const OpRef complete : epoch.completes) {
      from = std::max(from, trace_.enter(complete));
      const auto held_up = held_up_.find(complete);
      if (held_up == held_up_.end() || held_up->second.location == epoch.location) continue;
      if (!last.valid() || trace_.enter(last) < trace_.enter(held_up->second)) last = held_up->second;
    }
    if (last.valid() && trace_.enter(last) < trace_.leave(victim))
      add(wait_for_progress, victim, last, trace_.enter(last) - from);
  }

 private:
  // The target's next MPI call, if the call waited for it since `begin` and it comes after `last`.
  OpRef later_progress(OpRef call, Time begin, Rank target, OpRef last) const {
    const OpRef next = next_call(target, begin);
    if (!next.valid() || next.location == call.location) return last;
    if (trace_.enter(next) >= trace_.leave(call)) return last;
    return last.valid() && trace_.enter(last) >= trace_.enter(next) ? last : next;
  }

  // The rank's first MPI call that begins after `time`; invalid if there is none.
  OpRef next_call(Rank rank, Time time) const {
    const Location location = trace_.main_location(rank);
    const Timeline& timeline = trace_.timeline(location);
    std::uint32_t first = 0, count = static_cast<std::uint32_t>(timeline.size());
    while (count > 0) {  // calls follow each other
      const std::uint32_t half = count / 2;
      if (timeline.enter(first + half) <= time) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return first == timeline.size() ? OpRef{} : OpRef{location, first};
  }

  CallTimes times(OpRef op) const { return {trace_.enter(op), trace_.leave(op), trace_.kind(op)}; }

  OpRef last_of(const std::vector<OpRef>& calls) const {
    const auto last = std::max_element(calls.begin(), calls.end(),
                                       [&](OpRef a, OpRef b) { return trace_.enter(a) < trace_.enter(b); });
    return last == calls.end() ? OpRef{} : *last;
  }

  bool add(const WaitPattern& pattern, OpRef victim, OpRef cause, Duration wait) {
    if (wait <= Duration::zero() || victim.location == cause.location) return false;
    found_.waits.push_back({victim, cause, wait, 0, id_of(pattern)});
    return true;
  }

  void check_clocks(OpRef needed, OpRef end) {
    const Duration early = trace_.enter(needed) - trace_.leave(end);
    if (early > Duration::zero())
      found_.clocks.add(trace_.rank(needed.location), trace_.rank(end.location), early);
  }

  const Trace& trace_;
  DetectedWaits& found_;
  std::set<OpRef> contended_;
  std::map<OpRef, OpRef> held_up_;     // calls that waited for a call of a target, the last one
  std::map<OpRef, Time> posted_late_;  // the leave of the MPI_Win_post that the call waited for
};

}  // namespace

DetectedWaits detect_one_sided(const Trace& trace, const SyncPoints& sync, const DetectOptions& options) {
  DetectedWaits found(trace);
  if (options.scalasca) return found;  // Scalasca has these patterns only for another kind of records
  OneSidedDetection detection(trace, found);
  for (const AccessEpoch& epoch : sync.access_epochs) {
    detection.check_clocks(epoch);
    detection.late_posts(epoch);
  }
  for (const ExposureEpoch& epoch : sync.exposure_epochs) {
    detection.check_clocks(epoch);
    detection.early_waits(epoch);
  }
  for (const LockEpoch& epoch : sync.lock_epochs) detection.contention(epoch);
  const auto& calls = sync.calls_for_progress;
  for (auto first = calls.begin(), last = first; first != calls.end(); first = last) {
    last = std::find_if(first, calls.end(),
                        [&](const CallForProgress& call) { return call.call != first->call; });
    detection.lack_of_progress({first, last});
  }
  for (const ExposureEpoch& epoch : sync.exposure_epochs) detection.waits_through_origins(epoch);
  return found;
}

}  // namespace waitdiag
