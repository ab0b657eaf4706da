// Rules of calls that somebody else lets go, by an epoch, a lock or a message: pure, over one call and that
// time.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analyzer/diagnosis/patterns/wait_pattern.hpp"

namespace waitdiag {

// The call's time before it was released; zero or less if it did not wait for that: it left before.
Duration waited_until(const CallTimes& call, Time released);
// The same of a call that cannot have left before: clocks may disagree.
Duration waited_at_most_until(const CallTimes& call, Time released);

}  // namespace waitdiag
