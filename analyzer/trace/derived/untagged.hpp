// The same run with one tag for all messages.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// Nothing: there is one tag already, or tags decide which receive a message belongs to: between two ranks messages are
// not received in the order in which they are sent (MPI 4.0, 3.5).
std::optional<Trace> untagged(const Trace& trace);

}  // namespace waitdiag
