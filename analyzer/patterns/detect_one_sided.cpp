// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/patterns/detect_one_sided.hpp"
#include "analyzer/patterns/waited_until.hpp"

#include <algorithm>

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
      if (add(late_post, victim, post, waited_until(times(victim), trace_.enter(post)))) return;
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

  // The lock itself is granted late, or the first call that needs it blocks: where it took longest.
  void contention(const LockEpoch& epoch) {
    if (!epoch.previous.valid()) return;
    const Time released = trace_.leave(epoch.previous);
    const auto waited = [&](std::uint32_t call) {
      return waited_at_most_until(times({epoch.location, call}), released);
    };
    const auto longest = std::max_element(epoch.calls.begin(), epoch.calls.end(),
                                          [&](auto a, auto b) { return waited(a) < waited(b); });
    add(lock_contention, {epoch.location, *longest}, epoch.previous, waited(*longest));
  }

 private:
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

  const Trace& trace_;
  DetectedWaits& found_;
};

}  // namespace

DetectedWaits detect_one_sided(const Trace& trace, const SyncPoints& sync, const DetectOptions& options) {
  DetectedWaits found(trace);
  if (options.scalasca) return found;  // it has them for another kind of records only
  OneSidedDetection detection(trace, found);
  for (const AccessEpoch& epoch : sync.access_epochs) detection.late_posts(epoch);
  for (const ExposureEpoch& epoch : sync.exposure_epochs) detection.early_waits(epoch);
  for (const LockEpoch& epoch : sync.lock_epochs) detection.contention(epoch);
  return found;
}

}  // namespace waitdiag
