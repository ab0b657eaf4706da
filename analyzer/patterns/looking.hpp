// Rules of processes that look for a message: pure, over one call and the time when the message was sent.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/patterns/wait_pattern.hpp"

namespace waitdiag {

// A probe ends with the message: if it was left before, the message it found was another one.
Duration probed_in_vain(const CallTimes& probe, Time sent);
// A test ends in any case.
Duration polled_in_vain(const CallTimes& test, Time sent);

}  // namespace waitdiag
