// Processes of one job that find each other's directory without talking: through the file system.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "libwaitprof/archive/directory.hpp"

namespace waitprof::archive {

// What tells this job from all others, the same in all its processes on this node: the process that launched
// them. On several nodes under Slurm the job step, which is the same everywhere; under other launchers each
// node takes itself for a job.
std::string job_name();

// The directory that this job has, or a new one: whoever is first makes it, complete with "unfinished" and
// "traces", and renames it into place. Names are tried as in make_archive_directory(), `job` standing for the
// time; a directory of another job is a name that is taken.
ArchiveDirectory join_archive_directory(const std::string& wanted, const std::string& program, int ranks,
                                        const std::string& job);

}  // namespace waitprof::archive
