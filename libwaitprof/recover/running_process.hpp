// Whether the program is still running.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waitprof::archive {

// True if the process of this number, on this boot of this kernel, has a journal with this inode in its
// memory, and keeps it there. Launchers return before the processes that they kill are gone, so it takes two
// seconds until the answer is yes. Also false if that cannot be seen: on another node (of_other_boot), or as
// another user.
bool process_keeps_mapped(std::uint64_t process, std::uint64_t boot, std::uint64_t inode);

// Whether that process ran on another node, or before this one was started again. 0: not known, taken for
// this one.
bool of_other_boot(std::uint64_t boot);

// What can be seen of a process on another node: somebody writes to these files of the program, and goes on doing
// so. A look at some of them, for one second, or three until the answer is yes. False also if all ranks wait, or if
// the file system shows what others write only later (NFS).
bool files_keep_changing(const std::vector<std::string>& files);

}  // namespace waitprof::archive
