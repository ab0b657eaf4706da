// Windows of one-sided communication (MPI 4.0, 12.2) of this process: handle -> local id, and what archive/
// must know about each.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

namespace waitprof {

inline constexpr std::uint32_t kUnknownWindow = 0xffffff;
inline constexpr std::uint32_t kNoRankGroup = 0;

struct Window {
  std::uint64_t key = 0;  // same on all members: the communicator's, and how many windows it had before
  std::uint32_t comm = 0;
  bool allocated = false;                       // created with its memory
  const char* name = nullptr;                   // as set by MPI_Win_set_name
  std::uint32_t access_group = kNoRankGroup;    // of MPI_Win_start
  std::uint32_t exposure_group = kNoRankGroup;  // of MPI_Win_post
};

std::uint32_t window_count() noexcept;
Window& window(std::uint32_t id) noexcept;  // id < window_count()

std::uint32_t window_of(MPI_Win handle) noexcept;  // kUnknownWindow if it was never seen

// Takes in a window that MPI has just made over `comm`; kUnknownWindow if there is no memory.
std::uint32_t add_window(MPI_Win handle, std::uint32_t comm, bool allocated) noexcept;
void forget_window(MPI_Win handle) noexcept;
void name_window(std::uint32_t id, const char* name) noexcept;

// Sets of processes that synchronise through a window, as world ranks. Distinct sets have distinct ids;
// kNoRankGroup: there is no memory for it.
std::uint32_t rank_group_of(MPI_Group group) noexcept;
std::uint32_t rank_group_count() noexcept;
std::span<const int> rank_group(std::uint32_t id) noexcept;  // 1 <= id <= rank_group_count()

}  // namespace waitprof
