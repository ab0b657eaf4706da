// Where the entries lead.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

extern "C" {

using Way = void (*)();

// One for each of WAITPROF_ENTRIES; changed at any time, by several threads, all to the same.
extern Way waitprof_entry_ways[] __attribute__((visibility("hidden")));

// The entry of that number is called for the first time.
void waitprof_decide_way(std::uint32_t number) noexcept __attribute__((visibility("hidden")));
}
