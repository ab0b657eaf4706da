// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/size_limit.hpp"

#include <atomic>

namespace waitprof::archive {
namespace {

constinit std::atomic<std::uint64_t> limit_time{UINT64_MAX};

}  // namespace

std::uint64_t time_of_limit() noexcept {
  return limit_time.load(std::memory_order_relaxed);
}

void set_time_of_limit(std::uint64_t time) noexcept {
  limit_time.store(time, std::memory_order_relaxed);
}

}  // namespace waitprof::archive
