// Region ids of this process. Ids below call_count are MPI functions (the generated Call enum); ids from
// kFirstUserRegion on are user regions, made at their first use: by name (waitprof.h) or by function address
// (-finstrument-functions); and library functions that the program called and had to wait in (off_cpu/).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace waitprof {

inline constexpr std::uint32_t kFirstUserRegion = 4096, kMostUserRegions = 1U << 16;
inline constexpr std::size_t kMostNameBytes = std::size_t{2} << 20;  // of all names together

struct UserRegion {
  const char* name = nullptr;  // by name: our own copy, lives until the end; nullptr for functions
  std::uintptr_t address = 0;  // by function address
  bool of_library = false;     // by name: no mark of the user's
};

// Finds or makes the id; 0 when the table is full (said once by one rank). Lock-free look-up.
std::uint32_t region_by_name(const char* name) noexcept;
std::uint32_t region_by_address(std::uintptr_t function) noexcept;
std::uint32_t region_of_library(const char* name) noexcept;

// Writes to the journal the regions that are older than it.
void journal_regions() noexcept;

std::uint32_t user_region_count() noexcept;
UserRegion user_region(
    std::uint32_t id) noexcept;  // kFirstUserRegion <= id < kFirstUserRegion + user_region_count()

}  // namespace waitprof
