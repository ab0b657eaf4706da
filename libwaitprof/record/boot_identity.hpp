// Which boot of which kernel this process runs on.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// Equal on two ranks: same boot of the same kernel, hence the same clocks.
std::uint64_t boot_identity() noexcept;

}  // namespace waitprof
