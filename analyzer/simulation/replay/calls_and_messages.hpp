// How much there is to replay.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// MPI calls, and the messages that collective operations consist of.
std::uint64_t calls_and_messages(const Trace& trace);

}  // namespace waitdiag
