// Whether the program is still running.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace waitprof::archive {

// True if the process of this number, on this boot of this kernel, has a journal with this inode in its
// memory, and keeps it there. Launchers return before the processes that they kill are gone, so it takes two
// seconds until the answer is yes. Also false if that cannot be seen: on another node, or as another user.
bool process_keeps_mapped(std::uint64_t process, std::uint64_t boot, std::uint64_t inode);

}  // namespace waitprof::archive
