// MPI_Mprobe takes a message out of the queue, MPI_Mrecv only fetches it: in the order of receives it stands
// where the probe was.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// The receives() of a location in the order in which they took their messages; nothing if that is their own
// order. No record says which probe a matched receive belongs to: the k-th of the one to the k-th of the
// other, where there are equally many.
std::optional<std::vector<std::uint32_t>> taking_order(const Trace& trace, Location location);

}  // namespace waitdiag
