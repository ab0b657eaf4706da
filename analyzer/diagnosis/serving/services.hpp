// What a location does for others in an order that is not the program's: it takes whichever message comes first
// (MPI_Waitany, MPI_Waitsome, MPI_ANY_SOURCE, MPI_Probe) and answers its sender, a client.
//
//   server  [Waitany: 2][Irecv][Send to 2] [Waitany: 1][Irecv][Send to 1] ...
//           |<------ service of 2 ------>| |<------ service of 1 ------>|
//
// If client 1 had been ready earlier, it would have been served earlier. What a client sends is served in its order
// (MPI 4.0, 3.5).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/retiming/dependencies.hpp"
#include "analyzer/trace/sync/sync_points.hpp"

namespace waitdiag {

// Calls [first, last) of the server.
struct Service {
  std::uint32_t first = 0, last = 0;
  std::uint32_t receives = 0;       // the call that got the messages; those before it polled for them
  std::vector<Location> clients{};  // one, unless a call got several messages that are served together
  std::vector<OpRef> needs{};       // the calls that sent these messages
  bool one_of_several = false;      // of a call that got several messages: those of others do not matter
};

// Services that follow each other with nothing in between whose place is fixed: from the call `first()` on.
struct Services {
  Location server{};
  std::vector<Service> in_order;  // as recorded
  std::uint32_t first() const { return in_order.front().first; }
  std::uint32_t last() const { return in_order.back().last; }
};

// By location, in the order of its calls; of at least two clients each.
std::vector<std::vector<Services>> find_services(const Trace& trace, const SyncPoints& sync);

}  // namespace waitdiag
