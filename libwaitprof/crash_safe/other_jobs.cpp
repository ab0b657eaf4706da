// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/crash_safe/other_jobs.hpp"

#include <atomic>

#include "libwaitprof/crash_safe/journal.hpp"

namespace waitprof {
namespace {

constinit std::atomic<std::uint32_t> parent_count{0}, spawned_count{0}, connected_count{0};

}  // namespace

OtherJobs other_jobs() noexcept {
  return {parent_count, spawned_count, connected_count};
}

void note_parents(std::uint32_t processes) noexcept {
  parent_count = processes;
}

void note_other_processes(std::uint32_t processes, bool spawned) noexcept {
  (spawned ? spawned_count : connected_count) += processes;
  journal(RecordKind::OtherProcesses, crash_safe::OtherProcessesRecord{spawned_count, connected_count});
}

}  // namespace waitprof
