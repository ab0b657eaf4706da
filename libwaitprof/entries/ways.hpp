// Where the entries lead.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

extern "C" {

using Way = void (*)();

// One for each of WAITPROF_ENTRIES. Several threads may set one at any time, all to the same value.
extern Way waitprof_entry_ways[] __attribute__((visibility("hidden")));

// The entry of that number is called for the first time.
void waitprof_decide_way(std::uint32_t number) noexcept __attribute__((visibility("hidden")));
}
