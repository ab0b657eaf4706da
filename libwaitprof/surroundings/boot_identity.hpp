// Which boot of which kernel this process runs on.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// Equal on two ranks: same boot of the same kernel, hence the same clocks.
std::uint64_t boot_identity() noexcept;

// For tests: from now on this process is on a machine of its own. 0: the real one.
void pretend_other_machine(std::uint64_t number) noexcept;

}  // namespace waitprof
