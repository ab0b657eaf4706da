// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/trace_files/size_limit.hpp"

namespace waitprof::archive {

constinit std::atomic<std::uint64_t> detail::time_of_limit{UINT64_MAX};

void set_time_of_limit(std::uint64_t time) noexcept {
  detail::time_of_limit.store(time, std::memory_order_relaxed);
}

}  // namespace waitprof::archive
