// Room on a disk, taken before it is used: pages of a file that are mapped and written without it end in
// SIGBUS when the disk is full.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// Allocates new bytes of a file. 0 or errno. Async-signal-safe.
int allocate_on_disk(int file, std::uint64_t from, std::uint64_t bytes) noexcept;

// True if a page that is allocated can be written again without new room: not so where every write goes to a
// new place.
bool overwrites_in_place(int file) noexcept;

}  // namespace waitprof
