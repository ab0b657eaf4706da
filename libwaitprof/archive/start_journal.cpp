// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/start_journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <iterator>
#include <string>
#include <string_view>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/crash_safe.hpp"
#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/crash_safe/other_jobs.hpp"
#include "libwaitprof/definitions/blob.hpp"
#include "libwaitprof/definitions/program_name.hpp"
#include "libwaitprof/definitions/recording_facts.hpp"
#include "libwaitprof/generated/calls.hpp"
#include "libwaitprof/generated/pmpi.hpp"
#include "libwaitprof/handles/communicators.hpp"
#include "libwaitprof/mpi/binding.hpp"
#include "libwaitprof/mpi/other_tools.hpp"
#include "libwaitprof/presence/counters.hpp"
#include "libwaitprof/records/location_writer.hpp"
#include "libwaitprof/regions/regions.hpp"
#include "libwaitprof/settings/call_filter.hpp"
#include "libwaitprof/settings/function_filter.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"
#include "libwaitprof/surroundings/say.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"

namespace waitprof::archive {
namespace {

// "MPICH 4.0.2" out of "MPICH Version:\t4.0.2\nMPICH Release date: ...", "Open MPI 4.1.4" out of
// "Open MPI v4.1.4, package: ..., ident: ...".
std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  pmpi::Get_library_version(text, &length);
  std::string first_line(text);
  first_line.resize(std::min(first_line.find_first_of("\n,"), first_line.size()));
  std::replace(first_line.begin(), first_line.end(), '\t', ' ');
  constexpr std::string_view kLabel = " Version:";
  if (const std::size_t label = first_line.find(kLabel); label != std::string::npos)
    first_line.erase(label, kLabel.size());
  if (const std::size_t version = first_line.find(" v");
      first_line.find_first_of("0123456789", version) == version + 2)
    first_line.erase(version + 1, 1);
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

std::string mpi_filter() {
  std::string text;
  for (std::size_t group = 0; group < std::size(kCallGroups); ++group) {
    if ((settings.mpi_filter >> group & 1) != 0) {
      text += (text.empty() ? "" : ",") + std::string(kCallGroups[group]);
    }
  }
  return text;
}

void journal_process(const ClockOffset& clock) {
  ProcessStart start;
  start.rank = this_rank();
  start.rank.clock_error = clock.error;
  start.program = program_name();
  start.world_size = static_cast<std::uint32_t>(world.size);
  start.alone = world.alone;
  start.part_of_node = world.part_of_node;
  start.clock = clock;
  start.recording = recording_facts();
  journal(RecordKind::Process, to_blob(std::move(start)));
}

void journal_calls() {
  std::string bytes;
  for (const CallDescription& call : kCalls) {
    bytes += static_cast<char>(call.role);
    bytes += std::string(call.name) + '\0';
  }
  journal(RecordKind::Calls, std::as_bytes(std::span(bytes)));
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

bool keep_events_in_files(Ranks& ranks, const ClockOffset& clock) {
  const int trouble = settings.crash_safe ? keep_own_events(clock) : 0;
  const int worst = ranks.largest(trouble);
  if (worst != 0 && ranks.rank() == 0 && !world.part_of_node) {
    say("events are kept in memory only (%s): a program that is killed leaves no trace. "
        "WAITPROF_CRASH_SAFE=off silences this.",
        worst == EOPNOTSUPP ? "the archive's file system writes to new places each time"
                            : std::strerror(worst));
  }
  return worst == 0;
}

void journal_end(crash_safe::EndKind kind, int code) noexcept {
  journal(RecordKind::Ended, crash_safe::EndRecord{now(), kind, code});
}

RecordingFacts recording_facts() {
  constexpr const char* kNames[] = {"off", "cpu", "wall"};  // by SamplingMode
  RecordingFacts facts;
  facts.mpi = mpi_version();
  facts.sampling = kNames[static_cast<std::size_t>(settings.sampling)];
  facts.mpi_filter = mpi_filter();
  facts.function_filter = function_filter();
  facts.sampling_ranks = sampling_ranks();
  facts.problem = settings.problem;
  facts.profile = settings.profile == RecordingProfile::Light ? "light" : "";
  facts.tool_in_front = other_tools.in_front;
  facts.tool_behind = other_tools.behind;
  facts.counters = describe_counters();
  facts.sampling_hz = static_cast<std::uint32_t>(settings.sampling_hz);
  facts.realtime_offset = realtime_offset();
  return facts;
}

Rank this_rank() {
  Rank rank;
  rank.rank = static_cast<std::uint32_t>(world.rank);
  rank.process = world.process;
  rank.host = world.host;
  rank.boot = boot_identity();
  rank.processors = processors_online();
  rank.binding = binding_of_thread();
  rank.other_jobs = other_jobs();
  return rank;
}

}  // namespace waitprof::archive
