// How much one process may write, and when it had written it (WAITPROF_LIMIT_MIB).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace waitprof::archive {

namespace detail {
extern std::atomic<std::uint64_t> time_of_limit;
}

// When this process stops recording, on its own clock; UINT64_MAX: no end is known.
inline std::uint64_t time_of_limit() noexcept {
  return detail::time_of_limit.load(std::memory_order_relaxed);
}
void set_time_of_limit(std::uint64_t time) noexcept;

inline constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

}  // namespace waitprof::archive
