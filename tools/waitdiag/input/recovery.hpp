// Directories of programs that did not reach MPI_Finalize: makes an archive of what they left.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace waitdiag::tool {

bool is_unfinished(const std::string& directory);

// Makes the archive, in `output` or in the directory itself; of several directories, the nodes' parts of one run, in
// `output` only. Returns what was done, as a sentence for the user. Throws TraceError.
std::string recover_and_say(const std::vector<std::string>& directories, const std::string& output = "");

// The same for a directory that is about to be read, if it needs it; says so on stderr.
void recover_if_unfinished(const std::string& directory);

}  // namespace waitdiag::tool
