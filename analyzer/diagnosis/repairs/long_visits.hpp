// Causes that all ranks run equally long, but one of them at a time for longer than usual: heavy blocks that go round in a
// ring.
//
//   rank 0  force | send | FORCE   | send | force | send
//   rank 1  force | send | force | receive .. | FORCE   | send
//   rank 2  force | send | force | send | force | receive ........ | FORCE
//
// Whoever waits has run, or still runs, such a visit of its own, so that no rank is found to be longer; the delay is
// passed on from rank to rank. What such a cause costs is what its long visits take more than a usual one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "analyzer/diagnosis/repairs/cause_places.hpp"
#include "analyzer/diagnosis/retiming/dependencies.hpp"
#include "analyzer/diagnosis/retiming/retime.hpp"

namespace waitdiag {

// Puts that in the place of repairs that save less than half of what ranks waited for the cause, if it saves as much as
// they waited. Not where ranks do not run it equally long, or many visits are long, or none. `waited`: by cause, of all
// ranks, in nanoseconds.
void shorten_long_visits(const Trace& trace, const CausePlaces& places, const Dependencies& dependencies,
                         std::span<const double> waited, std::span<Change> changes);

}  // namespace waitdiag
