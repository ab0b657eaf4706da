// What of the time between two calls a thread did nothing in: it slept, or had no processor.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// What many short waits are for is not recorded: they count as sleep.
bool is_asleep(const Trace& trace, CallPathId path);

// Asleep, or without a processor: whatever else a thread does there, this is none of its work.
bool is_idle(const Trace& trace, CallPathId path);

enum class IdleTime : std::uint8_t { Any, Asleep };
// Any: blocked for whatever reason, or without a processor.
Duration idle_in(const Trace& trace, const Timeline& timeline, std::uint32_t gap, IdleTime which);

}  // namespace waitdiag
