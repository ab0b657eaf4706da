// Whose directory a directory is: processes of one job find theirs through the file system.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "libwaitprof/archive/directory.hpp"

namespace waitprof::archive {

// A name that tells this job from all others, and is the same in all its processes on this node: it is made
// from the process that launched them. Under Slurm it is made from the job step, which is the same on all
// nodes; under other launchers each node looks like a job of its own.
std::string job_name();

// The directory that this job has, or a new one: the first process makes it, complete with "unfinished" and
// "traces", and renames it into place. Names are tried as in make_archive_directory(), `job` standing for the
// time; a directory of another job is a name that is taken.
// Where nodes do not share a file system, each node has one of its own.
ArchiveDirectory join_archive_directory(const std::string& wanted, const std::string& program, int ranks,
                                        const std::string& job);

// Says in `directory`, which has its "unfinished" by now, that it is this job's. False with errno.
bool mark_directory(const std::string& directory, const std::string& job);
bool is_directory_of(const std::string& directory, const std::string& job);
void remove_mark(const std::string& directory, const std::string& job) noexcept;

}  // namespace waitprof::archive
