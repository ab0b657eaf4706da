// MPI_Sendrecv ends when both its halves have. The receiving one waits for its sender, which is recorded; how long the
// sending one waited for its receiver shows only behind that. Some libraries hold even small messages of such calls
// until their receiver is in MPI (Open MPI in shared memory). That is learned from the calls whose receiver came last,
// by the size of the message: they hardly ever ended before it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/trace/model/trace.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

class SendrecvHalves {
 public:
  SendrecvHalves() = default;  // there are none
  SendrecvHalves(const Trace& trace, const SyncPoints& sync);

  // A message of MPI_Sendrecv that ends only with its receiver, although it is small.
  bool is_held(const Trace& trace, const Message& message) const;
  // How long such a call of the sender waited for its receiver, behind its wait for the message that it received.
  Duration waited_for_receiver(const Trace& trace, const Message& message) const;

 private:
  static constexpr std::size_t kSizeClasses = 65;  // class = number of significant bits of the size
  // When all that the sender's call received had been sent.
  Time came(const Trace& trace, const Message& message) const;

  std::vector<std::vector<Time>> came_;  // by location and call; empty where a location has no such calls
  std::array<bool, kSizeClasses> held_{};
};

}  // namespace waitdiag
