// Messages that a send hands to MPI, but that leave only while the sender is in MPI: small ones, too, if MPI queues
// them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "analyzer/diagnosis/patterns/left_upon.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

class NeedsSender {
 public:
  NeedsSender() = default;
  NeedsSender(const Trace& trace, const SyncPoints& sync);

  // The receives that were left as soon as the sender was in MPI again are many more than those that ended while it
  // was not. Sends are alike if one process posted them by one function, with about the same number of bytes.
  bool after_send(const Message& message) const;

 private:
  using Kind = std::tuple<Location, RegionId, int>;
  using Endings = SeenEndings<Kind>;
  Kind kind_of(const Message& message) const;
  void count(const Message& message, Endings::Counts& counts) const;

  const Trace* trace_ = nullptr;
  Endings endings_;
};

// The last call with which the sender was in MPI again before the receive ended, up to the one that completed the send;
// not valid: none.
OpRef sender_back(const Trace& trace, const Message& message);

}  // namespace waitdiag
