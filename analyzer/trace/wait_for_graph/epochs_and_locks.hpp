// Who waits for whom in one-sided communication.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/trace/sync/rules.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// `location` cannot leave `call` without `on`. It may already have waited in one of `earlier`, or in
// `opening`: which call blocks is up to the MPI library. kNoOp: it may wait, but need not.
struct OneSidedNeed {
  OpRef on;
  Location location{};
  std::uint32_t call = kNoOp;
  std::span<const std::uint32_t> earlier{};
  std::uint32_t opening = kNoOp;
  WaitsFor kind = WaitsFor::Post;
  bool certain() const { return call != kNoOp && on.valid() && on.location != location; }
};

template <typename Visit>
void for_each_epoch_need(const SyncPoints& sync, Visit visit) {
  for (const ExposureEpoch& epoch : sync.exposure_epochs)
    for (const OpRef complete : epoch.completes)
      visit(OneSidedNeed{
          .on = complete, .location = epoch.location, .call = epoch.wait, .kind = WaitsFor::Complete});
  for (const AccessEpoch& epoch : sync.access_epochs)
    for (const OpRef post : epoch.posts)
      visit(OneSidedNeed{.on = post,
                         .location = epoch.location,
                         .call = epoch.accesses.empty() ? kNoOp : epoch.complete,
                         .earlier = epoch.accesses,
                         .opening = epoch.start,
                         .kind = WaitsFor::Post});
}

// The previous holders of a lock, where the two exclude each other.
template <typename Visit>
void for_each_lock_need(const SyncPoints& sync, Visit visit) {
  for (const LockEpoch& epoch : sync.lock_epochs)
    visit(OneSidedNeed{.on = epoch.previous,
                       .location = epoch.location,
                       .call = epoch.calls.back(),
                       .earlier = epoch.calls,
                       .kind = WaitsFor::Lock});
}

}  // namespace waitdiag
