// Functions that take time although none of their call paths does: recursive ones, and those that are called
// from many places.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/causes/profile.hpp"

namespace waitdiag {

// For Activities::pooled(): those call paths of one function that are no hotspots become one, if they are
// a hotspot together. The first of them stands for all. Empty: there are none such.
std::vector<CallPathId> function_pools(const Trace& trace, const Profile& profile,
                                       const Activities& activities, double threshold);

}  // namespace waitdiag
