// Teams of threads (OpenMP) as activities. The thread that calls MPI works in a team, and waits for its other threads.
// Whichever of them is late, its rank is late by what the whole team took: what it works less it only waits longer.
//
//   thread 0  flux [ work | waits for the team ]
//   thread 1       [ work ................... ]
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/activities/profile.hpp"

namespace waitdiag {

// `instead`, by call path, as for Activities::pooled(): where a rank waits for the team for a good part of its time,
// the function that opened the team stands for all that runs in it. More than `threshold` of a rank's time is enough
// to be looked at.
void pool_teams(const Trace& trace, const Profile& profile, double threshold,
                std::vector<CallPathId>& instead);

}  // namespace waitdiag
