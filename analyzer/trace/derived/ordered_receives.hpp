// The same run with wildcard receives in another order: of their senders, or of arrival.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Receives from MPI_ANY_SOURCE (MPI 4.0, 3.2.4) that follow each other, from different senders, by calls of one path
// with one tag: which of them got which message is chance, so the lowest rank comes first. Messages that came early, before
// those of others of the same step, are among the later ones. Times stay with the calls.
// Nothing: there are no such receives, or they are in this order already.
std::optional<Trace> with_ordered_receives(const Trace& trace);

// The first receive gets the message that is sent first in `replayed`, which is the same run with other times, and so on.
// Nothing: there are no such receives, or they are in this order already.
std::optional<Trace> with_receives_by_arrival(const Trace& trace, const Trace& replayed);

}  // namespace waitdiag
