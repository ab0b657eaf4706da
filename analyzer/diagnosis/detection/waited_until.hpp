// Rules for calls that another process releases, by an epoch, a lock or a message: pure functions of one call
// and the time of the release.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/patterns/wait_pattern.hpp"

namespace waitdiag {

// The call's time before it was released; zero or less if it did not wait for that, because it left before.
Duration waited_until(const CallTimes& call, Time released);
// The same for a call that cannot have left before: the clocks may disagree.
Duration waited_at_most_until(const CallTimes& call, Time released);

}  // namespace waitdiag
