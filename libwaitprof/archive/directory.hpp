// Where the archive goes: makes a new directory, never touches an existing archive. Called on rank 0.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace waitprof::archive {

struct ArchiveDirectory {
  std::string path;   // absolute, since programs change their working directory; empty on failure
  std::string taken;  // the name that was wanted, if another one had to be used
  std::string error;  // what went wrong and where
};

// `wanted` (missing parents are made; an existing empty directory is used), or a name made of program, ranks
// and time in the current directory. A taken name gets the suffix -2, -3, ...
ArchiveDirectory make_archive_directory(const std::string& wanted, const std::string& program, int ranks);

// Says what is wrong, which ends the recording, or that the name differs from the one asked for.
bool is_usable(const ArchiveDirectory& directory);

// Its parts, for job.cpp.
inline constexpr int kLastSuffix = 9999;
std::string absolute_path(const std::string& path);            // without slashes at the end
std::string with_suffix(const std::string& base, int suffix);  // 1: none
bool make_directory(const std::string& path);                  // and its parents; false with errno
ArchiveDirectory cannot_make(const std::string& path);         // because of errno
ArchiveDirectory all_taken(const std::string& base);

}  // namespace waitprof::archive
