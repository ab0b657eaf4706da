// Messages whose sends end only when their receiver is in MPI again, whatever it does there: a library may copy a small
// message into shared memory at once, and keep the sender until the receiver has taken it out. Open MPI does so with
// more than 256 bytes on one node. Large messages move only while both are in MPI. A receiver that computes holds up
// its senders, also those whose receive comes much later, or was posted before.
//
//   sender    ..[~~~~~~~ waiting ~~~~~~~|= MPI_Send, MPI_Sendrecv, or MPI_Wait for MPI_Isend]
//   receiver  [MPI]...... computes .....[= any call of MPI =]......[MPI_Recv]
//
// A call that completes a send may wait for messages that it receives, too: then only what comes behind that counts.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "analyzer/diagnosis/patterns/left_upon.hpp"
#include "analyzer/trace/sync/held_sends.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

class EndsUponReceiver {
 public:
  EndsUponReceiver() = default;  // none does
  EndsUponReceiver(const Trace& trace, const SyncPoints& sync);

  bool any() const;
  // Sends like it mostly ended as soon as their receiver was in MPI again, and hardly ever while it was not. Sends are
  // alike if one function posted them, with about the same number of bytes.
  bool is_kept(const Message& message) const;

 private:
  using Kind = std::tuple<RegionId, int>;
  using Endings = SeenEndings<Kind>;
  Kind kind_of(const Message& message) const;
  void count(const Message& message, SendCompletions& completions, Endings::Counts& counts) const;

  const Trace* trace_ = nullptr;
  Endings endings_;
};

// The last call with which the receiver was in MPI again before the call that waited for a send ended, and how long it
// was outside of MPI before: after `from`, and since that call waited for nothing else. Not valid: there is none.
struct HeldUntil {
  OpRef call{}, back{};
  Duration wait{};
};

HeldUntil held_until(const Trace& trace, const Message& message, SendCompletions& completions,
                     Time from = Time::min());

}  // namespace waitdiag
