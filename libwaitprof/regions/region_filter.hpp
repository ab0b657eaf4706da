// Which user regions the rules of settings/function_filter leave out. A named region is compared once. Functions are known
// only by their address, and looking up names at each call would be too slow: before the recording starts, archive/ lists
// the addresses of those that are left out.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "libwaitprof/settings/function_filter.hpp"

namespace waitprof {

// From now on these functions are left out, and named regions as the rules now are. Called at most once per
// recording; false: no memory.
bool filter_functions(std::span<const std::uintptr_t> addresses) noexcept;

bool is_filtered_region_or_function(std::uintptr_t key, bool is_function) noexcept;

// `key`: a function's address, or the id of a named region.
inline bool is_region_filtered(std::uintptr_t key, bool is_function) noexcept {
  return __builtin_expect(functions_are_filtered.load(std::memory_order_relaxed), 0) &&
         is_filtered_region_or_function(key, is_function);
}

}  // namespace waitprof
