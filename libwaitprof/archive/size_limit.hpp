// How much one process may write, and when it had written it (WAITPROF_LIMIT_MIB).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof::archive {

// The last moment that this process records, on its own clock; UINT64_MAX: no end is known.
std::uint64_t time_of_limit() noexcept;
void set_time_of_limit(std::uint64_t time) noexcept;

inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

}  // namespace waitprof::archive
