// Small messages whose sends end only when their receiver is in MPI. Mostly MPI copies small messages away, but some
// libraries hold those of certain calls until the receiver takes them: Open MPI in shared memory those of MPI_Sendrecv
// and of persistent requests. That is learned from the calls whose receiver came last: they hardly ever ended before
// it. Sends are alike if they were posted by one kind of call, with about the same number of bytes.
//
// A call that completes a send may also wait for messages that it receives: then how long it waited for the receiver of
// what it sent shows only behind that.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/trace/model/trace.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// The calls of one sender that complete sends.
class SendCompletions {
 public:
  SendCompletions(const Trace& trace, const SyncPoints& sync, Location sender)
      : trace_(trace), sync_(sync), sender_(sender) {}

  // From when on the call that completes a send waits for nothing but receivers: all that it receives had been sent.
  Time only_sends_since(const Message& message);
  // How long it waited for the receiver of this message, behind its wait for the messages that it received.
  Duration waited_for_receiver(const Message& message);

 private:
  const Trace& trace_;
  const SyncPoints& sync_;
  Location sender_;
  std::vector<Time> came_{};  // by call; empty until it is asked for
};

class HeldSends {
 public:
  HeldSends() = default;  // there are none
  HeldSends(const Trace& trace, const SyncPoints& sync);

  bool any() const { return !held_.empty(); }
  // Large messages need their receivers anyway, on some machines (EagerSends): whoever asks knows which are small.
  bool is_held(const Trace& trace, const Message& message) const;

 private:
  using Kind =
      std::pair<CallKind, int>;  // of the call that posted it; number of significant bits of the size
  static Kind kind_of(const Trace& trace, const Message& message);

  std::set<Kind> held_{};
};

}  // namespace waitdiag
