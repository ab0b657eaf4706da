// Who waits for whom where processes post, start, complete and wait for epochs of one-sided communication.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/sync/rules.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// `location` cannot leave `call` without `on`. kNoOp: it may wait, but need not (it opened an epoch and reached
// for nothing).
struct OneSidedNeed {
  OpRef on;
  Location location{};
  std::uint32_t call = kNoOp;
  WaitsFor kind = WaitsFor::Post;
  bool certain() const { return call != kNoOp && on.valid() && on.location != location; }
};

template <typename Visit>
void for_each_epoch_need(const SyncPoints& sync, Visit visit) {
  for (const ExposureEpoch& epoch : sync.exposure_epochs)
    for (const OpRef complete : epoch.completes)
      visit(OneSidedNeed{complete, epoch.location, epoch.wait, WaitsFor::Complete});
  for (const AccessEpoch& epoch : sync.access_epochs) {
    const std::uint32_t call = epoch.accesses.empty() ? kNoOp : epoch.complete;
    for (const OpRef post : epoch.posts) visit(OneSidedNeed{post, epoch.location, call, WaitsFor::Post});
  }
}

}  // namespace waitdiag
