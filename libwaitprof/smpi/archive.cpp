// One archive of all simulated ranks. Each writes its own events; the last one to reach MPI_Finalize finds
// the definitions of all earlier ones in the common memory, and writes the rest. No rank waits for another.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/archive.hpp"

#include <simgrid/host.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "libwaitprof/archive/closing_steps.hpp"
#include "libwaitprof/archive/collect.hpp"
#include "libwaitprof/archive/directory.hpp"
#include "libwaitprof/archive/guarded.hpp"
#include "libwaitprof/definitions/program_name.hpp"
#include "libwaitprof/definitions/unify.hpp"
#include "libwaitprof/definitions/write_definitions.hpp"
#include "libwaitprof/records/write_events.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/smpi/job.hpp"
#include "libwaitprof/smpi/own_modules.hpp"
#include "libwaitprof/smpi/trace_id.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"
#include "libwaitprof/surroundings/say.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"

namespace waitprof::archive {
namespace {

bool is_open = false;

// All ranks may have their event files open at the same time.
void make_room_for_files(int ranks) noexcept {
  constexpr rlim_t kOthers = 256;
  const rlim_t wanted = static_cast<rlim_t>(ranks) + kOthers;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted) {
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

bool make_archive(Job& job) {
  const ArchiveDirectory made = make_archive_directory(settings.directory, program_name(), job.size);
  job.directory = made.path;
  if (!is_usable(made)) {
    return false;
  }
  make_room_for_files(job.size);
  set_crash_safe_directory(job.directory.c_str());
  make_crash_safe_directory();
  return true;
}

bool open_for_this_rank() {
  const QuietSection quiet;
  Job& job = this_job();
  if (job.failed) {
    return false;
  }
  const bool first = job.directory.empty();
  if (first && !make_archive(job)) {
    job.failed = job.finished = true;
    return false;
  }
  set_crash_safe_directory(job.directory.c_str());
  if (!open_session(job.directory, first)) {
    give_up(("cannot open the archive " + job.directory + " (" + last_error() + ")").c_str());
    return false;
  }
  session.primary = false;  // the last rank is the primary
  is_open = true;
  return true;
}

// "SMPI 3.32" from "SMPI Version 3.32. Copyright The Simgrid Team 2007-2022".
std::string short_name(const std::string& version) {
  constexpr std::string_view kLabel = " Version";
  const std::size_t label = version.find(kLabel), end = version.find(". ");
  return label < end && end != std::string::npos
             ? version.substr(0, label) + version.substr(label + kLabel.size(), end - label - kLabel.size())
             : version;
}

// Facts about the real machine are left out: the simulated one counts, and two runs must give the same
// definitions.
Definitions own_definitions() {
  const LoadedModules loaded = modules_of_this_rank();
  Definitions own = collect_definitions(loaded, loaded.modules(), 0);
  Rank& rank = own.ranks.front();
  rank.binding = {};
  rank.boot = 0;
  rank.processors = static_cast<std::uint32_t>(std::max(sg_host_core_count(sg_host_self()), 0));
  own.recording.realtime_offset = 0;
  own.recording.mpi = short_name(own.recording.mpi);
  return own;
}

Definitions unify(std::vector<RankPart>& parts, std::vector<IdMaps>& maps) {
  Unifier unifier;
  for (RankPart& part : parts) {
    maps.push_back(unifier.add(std::move(part.definitions)));
  }
  return unifier.take();
}

bool write_local(const std::vector<RankPart>& parts, const std::vector<IdMaps>& maps,
                 const IdMaps& to_global) {
  constexpr ClockOffset kSameClock;
  bool good = true;
  OTF2_Archive_OpenDefFiles(session.otf2);
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    good = write_local_definitions(session.otf2, parts[rank].locations, compose(maps[rank], to_global),
                                   {&kSameClock, 1}) &&
           good;
  }
  OTF2_Archive_CloseDefFiles(session.otf2);
  return good;
}

void complete_archive(Job& job) {
  const QuietSection quiet;
  session.opened_as_primary = session.primary = true;
  std::vector<IdMaps> maps;
  Definitions unified = unify(job.parts, maps);
  set_trace_id(unified);
  const IdMaps to_global = finish_definitions(unified);
  const bool local_written = write_local(job.parts, maps, to_global);
  std::vector<OTF2_LocationRef> locations;
  for (const RankPart& part : job.parts) {
    locations.insert(locations.end(), part.locations.begin(), part.locations.end());
  }
  unified.file_checks = file_checks(locations);
  const bool whole =
      std::all_of(job.parts.begin(), job.parts.end(), [](const RankPart& part) { return part.whole; });
  if (!finish_session(unified, local_written, local_written && whole)) {
    say_incomplete();
  }
  remove_crash_safe_directory();
  job.finished = true;
}

void close_for_this_rank() {
  const bool whole = complete_event_files();
  if (!whole) {
    cut_event_files();
  }
  Job& job = this_job();
  RankPart& part = job.parts[static_cast<std::size_t>(world.rank)];
  part = {true, whole && !session.failed, own_definitions(), own_locations()};
  if (--job.waiting_for == 0) {
    complete_archive(job);
  } else if (!close_session()) {
    part.whole = false;
  }
}

// Unless all ranks have finished, there is no readable archive.
void say_if_unfinished() {
  Job& job = this_job();
  if (!job.finished) {
    job.finished = true;
    say("%d of %d ranks did not come to MPI_Finalize: %s cannot be read.", job.waiting_for, job.size,
        job.directory.c_str());
    remove_crash_safe_directory();
  }
}

}  // namespace

bool open() noexcept {
  return guarded("opening the archive", open_for_this_rank);
}

bool open_alone() noexcept {
  return false;
}

void end_alone() noexcept {}

bool flush(ThreadState& thread) noexcept {
  return is_open && guarded("writing events", [&thread] { return flush_events(thread); });
}

bool flush_samples(ThreadState& thread) noexcept {
  return is_open && guarded("writing samples", [&thread] { return write_events(thread); });
}

void close() noexcept {
  if (is_open) {
    is_open = false;
    guarded("completing the archive", [] {
      close_for_this_rank();
      return true;
    });
  }
}

void compare_clocks(ThreadState&, bool) noexcept {}  // there is only one clock

void abandon(int) noexcept {
  if (is_open) {
    is_open = false;
    guarded("ending the archive", [] {
      say_if_unfinished();
      return true;
    });
  }
}

namespace {

// A program under its own name was not copied for each rank: all share its variables, and SMPI's functions
// are called instead of ours.
void say_if_passed_by() {
  const std::string program = program_of_command_line();
  if (!program.empty() && own_copy().path == program) {
    read_settings(false);
    if (settings.enabled) {
      say("nothing was recorded: run the program with --cfg=smpi/privatization:dlopen");
    }
  }
}

// For a rank whose recording is still open when the program ends.
__attribute__((destructor)) void note_exit() {
  abandon(0);
  if (recorder_state.load(std::memory_order_relaxed) == RecorderState::Idle) {
    guarded("the end", [] {
      say_if_passed_by();
      return true;
    });
  }
}

}  // namespace

const char* directory() noexcept {
  return session.directory.c_str();
}

}  // namespace waitprof::archive
