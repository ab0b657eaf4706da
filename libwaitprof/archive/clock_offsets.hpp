// How far this rank's clock is from rank 0's. Ranks on one machine share the clock: no measurement, no noise.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/archive/clock_offset.hpp"
#include "libwaitprof/archive/ranks.hpp"
#include "libwaitprof/record/boot_identity.hpp"

namespace waitprof::archive {

// Collective. One rank of each machine measures and tells the others there.
ClockOffset measure_clock_offset(const Ranks& ranks) noexcept;

}  // namespace waitprof::archive
