// What `waitdiag doctor` says about the machine: its clock, its processors, its disk, its environment.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/waitdiag/doctor/finding.hpp"
#include "tools/waitdiag/launching/installed_backends.hpp"

namespace waitdiag::tool {

// `source` as the kernel names it ("tsc"); `read_ns`: the cost of reading it.
Finding clock_finding(const std::string& source, double read_ns);
Finding clock_finding();

// Whether the kernel reports when a thread was not on a processor (WAITPROF_OFF_PROCESSOR). `trouble`: the
// errno of the request; 0: none. `paranoid`: kernel.perf_event_paranoid, empty if there is none.
Finding presence_finding(int trouble, const std::string& paranoid);
Finding presence_finding();

// `ranks` = 0: not known.
Finding processors_finding(std::uint64_t ranks, std::uint64_t processors);
Finding processors_finding(std::uint64_t ranks);

// Which MPIs the recorder knows. `directory`: where its backends are; `version`: WaitProf's.
Finding backends_finding(const std::vector<InstalledBackend>& backends, const std::string& directory,
                         const std::string& version);
// `recorder`: libwaitprof.so.
Finding backends_finding(const std::filesystem::path& recorder);

// Room, kind and speed of a file system. `directory` is ours, inside the one that the user named; a file is
// written to it.
Findings disk_findings(const std::filesystem::path& directory, std::uint64_t ranks);

// Variables that get in the way: LD_PRELOAD, WAITPROF_ENABLE.
Findings environment_findings();

}  // namespace waitdiag::tool
