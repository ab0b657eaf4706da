// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <otf2/otf2.h>

#include <cstdint>

namespace waitprof::archive {

// What OTF2 calls a CollectiveOp. A recovered buffer may hold any number: an unknown one becomes a barrier.
OTF2_CollectiveOp collective_op(std::uint32_t op) noexcept;

// What OTF2 calls a root: a rank in the communicator, kNoRoot, kSelfRoot or kGroupRoot.
std::uint32_t root_ref(std::int32_t root) noexcept;

}  // namespace waitprof::archive
