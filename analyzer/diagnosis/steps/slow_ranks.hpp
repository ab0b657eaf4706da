// Ranks on which everything takes longer: a slow node or core, not a fault of one function.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/diagnosis/activities/profile.hpp"
#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// By rank: how many times longer its computation takes than on the median rank, if every call path of any
// weight takes longer there (per visit, where visits are known), and two of them are of functions of which neither
// calls the other; otherwise 1. Time off the processor says nothing about how fast that is.
std::vector<double> slowness_of_ranks(const Trace& trace, const Profile& profile);

}  // namespace waitdiag
