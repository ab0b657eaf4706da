// Finds the name that the user probably meant.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace waitprof {

// The name with the smallest edit distance to `wanted`, of the `count` (> 0) names that name_at() gives.
const char* nearest_name(const char* wanted, std::size_t count, const char* (*name_at)(std::size_t)) noexcept;

}  // namespace waitprof
