// Functions that take much time although no single call path of theirs does: recursive ones, and those that
// are called from many places. And functions that are blocked: in which call of a library is not always known, nor does
// it matter whether a file was written in one call or the other.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/activities/profile.hpp"

namespace waitdiag {

// For Activities::pooled(): the call paths of one function that are not hotspots by themselves become one if
// together they are a hotspot. The first of them stands for all. Where one function is blocked for the same, the
// longest stands for all. Empty: there are none.
std::vector<CallPathId> function_pools(const Trace& trace, const Profile& profile,
                                       const Activities& activities, double threshold);

}  // namespace waitdiag
