// Is the program still at it?
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof::archive {

// True if the process of this number, on this boot of this kernel, has a journal with this inode in its
// memory, and keeps it there: launchers return before the processes that they kill are gone, so two seconds
// pass before the answer is yes. False also where that cannot be seen: on another node, or as another user.
bool process_keeps_mapped(std::uint64_t process, std::uint64_t boot, std::uint64_t inode);

}  // namespace waitprof::archive
