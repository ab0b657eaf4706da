// Room on a disk, taken before it is used: otherwise a write to a mapped page of a file ends in SIGBUS when
// the disk is full.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof {

// Allocates new bytes of a file. 0 or errno. Async-signal-safe.
int allocate_on_disk(int file, std::uint64_t from, std::uint64_t bytes) noexcept;

// True if an allocated page can be written again without new room. Not so on copy-on-write file systems,
// where every write goes to a new place.
bool overwrites_in_place(int file) noexcept;

}  // namespace waitprof
