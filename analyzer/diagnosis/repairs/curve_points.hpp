// How finely changes in part are timed (what_if_curves.hpp).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitdiag {

// Few: what adds about a tenth to a report of any size. Small: all of a small run, else few.
enum class CurvePoints : std::uint8_t { None, Few, Small, All };

}  // namespace waitdiag
