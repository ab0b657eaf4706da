// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/start_journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <iterator>
#include <string>
#include <string_view>

#include "libwaitprof/archive/location_writer.hpp"
#include "libwaitprof/archive/otf2_session.hpp"
#include "libwaitprof/archive/program_name.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/crash_safe.hpp"
#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/generated/calls.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/mpi/binding.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/settings/call_filter.hpp"
#include "libwaitprof/settings/function_filter.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"
#include "libwaitprof/surroundings/other_jobs.hpp"
#include "libwaitprof/surroundings/other_tools.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof::archive {
namespace {

// "MPICH 4.0.2" out of "MPICH Version:\t4.0.2\nMPICH Release date: ...".
std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  pmpi::Get_library_version(text, &length);
  std::string first_line(text);
  first_line.resize(std::min(first_line.find('\n'), first_line.size()));
  std::replace(first_line.begin(), first_line.end(), '\t', ' ');
  constexpr std::string_view kLabel = " Version:";
  if (const std::size_t label = first_line.find(kLabel); label != std::string::npos)
    first_line.erase(label, kLabel.size());
  return first_line;
}

std::int64_t realtime_offset() {
  timespec real{};
  clock_gettime(CLOCK_REALTIME, &real);
  constexpr std::int64_t kSecond = 1'000'000'000;
  return real.tv_sec * kSecond + real.tv_nsec - static_cast<std::int64_t>(now());
}

std::string sampling_ranks() {
  std::string text;
  for (int i = 0; i < settings.sampling_ranks.count; ++i) {
    const auto [first, last] = settings.sampling_ranks.runs[i];
    text += (i > 0 ? "," : "") + std::to_string(first) + (last > first ? ".." + std::to_string(last) : "");
  }
  return text;
}

void journal_bytes(RecordKind kind, const std::string& bytes) {
  journal(kind, std::as_bytes(std::span(bytes)));
}

void journal_process(const ClockOffset& clock) {
  crash_safe::ProcessRecord record;
  record.rank = static_cast<std::uint32_t>(world.rank);
  record.size = static_cast<std::uint32_t>(world.size);
  record.process = world.process;
  record.boot = boot_identity();
  const Binding binding = binding_of_thread();
  record.processors = processors_online();
  record.package = binding.package;
  record.core = binding.core;
  record.alone = world.alone ? 1 : 0;
  record.parents = other_jobs().parents;
  record.clock_time = clock.time;
  record.clock_offset = clock.offset;
  record.clock_error = clock.error;
  record.realtime_offset = realtime_offset();
  record.sampling_hz = static_cast<std::uint32_t>(settings.sampling_hz);
  record.profile = static_cast<std::uint32_t>(settings.profile);
  record.sampling = static_cast<std::uint32_t>(settings.sampling);
  std::string bytes(reinterpret_cast<const char*>(&record), sizeof record);
  for (const std::string& text :
       {program_name(), std::string(world.host), mpi_version(), mpi_filter(), std::string(function_filter()),
        sampling_ranks(), std::string(settings.problem), std::string(other_tools.in_front),
        std::string(other_tools.behind)}) {
    bytes += text + '\0';
  }
  journal_bytes(RecordKind::Process, bytes);
}

void journal_calls() {
  std::string bytes;
  for (const CallDescription& call : kCalls) {
    bytes += static_cast<char>(call.role);
    bytes += std::string(call.name) + '\0';
  }
  journal_bytes(RecordKind::Calls, bytes);
}

}  // namespace

int keep_own_events(const ClockOffset& clock) {
  int trouble = open_journal(world.rank);
  if (trouble == 0) {
    journal_process(clock);
    journal_calls();
    journal_regions();
    journal_communicators();
    trouble = make_buffer_crash_safe(this_thread);
  }
  if (trouble != 0) {
    remove_crash_safe_files();
  }
  return trouble;
}

void keep_events_in_files(Ranks& ranks, const ClockOffset& clock) {
  const int trouble = settings.crash_safe ? keep_own_events(clock) : 0;
  const int worst = ranks.largest(trouble);
  if (worst != 0 && ranks.rank() == 0) {
    say("events are kept in memory only (%s): a program that is killed leaves no trace. "
        "WAITPROF_CRASH_SAFE=off silences this.",
        worst == EOPNOTSUPP ? "the archive's file system writes to new places each time"
                            : std::strerror(worst));
  }
}

void journal_end(crash_safe::EndKind kind, int code) noexcept {
  journal(RecordKind::Ended, crash_safe::EndRecord{now(), kind, code});
}

std::string mpi_filter() {
  std::string text;
  for (std::size_t group = 0; group < std::size(kCallGroups); ++group) {
    if ((settings.mpi_filter >> group & 1) != 0) {
      text += (text.empty() ? "" : ",") + std::string(kCallGroups[group]);
    }
  }
  return text;
}

void describe_recording(Definitions& definitions) {
  constexpr const char* kNames[] = {"off", "cpu", "wall"};  // by SamplingMode
  definitions.mpi = mpi_version();
  definitions.mpi_filter = mpi_filter();
  definitions.function_filter = function_filter();
  definitions.sampling_ranks = sampling_ranks();
  definitions.problem = settings.problem;
  definitions.tool_in_front = other_tools.in_front;
  definitions.tool_behind = other_tools.behind;
  definitions.sampling = kNames[static_cast<std::size_t>(settings.sampling)];
  definitions.sampling_hz = static_cast<std::uint32_t>(settings.sampling_hz);
  definitions.profile = static_cast<std::uint32_t>(settings.profile);
  definitions.realtime_offset = realtime_offset();
}

}  // namespace waitprof::archive
