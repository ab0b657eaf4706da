// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/archive.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "libwaitprof/archive/closing.hpp"
#include "libwaitprof/archive/directory.hpp"
#include "libwaitprof/archive/guarded.hpp"
#include "libwaitprof/archive/job.hpp"
#include "libwaitprof/archive/ranks.hpp"
#include "libwaitprof/archive/start_journal.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/crash_safe.hpp"
#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/definitions/program_name.hpp"
#include "libwaitprof/records/local_ids.hpp"
#include "libwaitprof/records/write_events.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"
#include "libwaitprof/surroundings/say.hpp"
#include "libwaitprof/threads/excerpts.hpp"
#include "libwaitprof/trace_files/otf2_session.hpp"

namespace waitprof::archive {
namespace {

Ranks ranks;
ClockOffsets clocks;
pid_t owner = 0;  // a forked child has a copy of everything and must not write
bool is_open = false;
std::string mark;  // whose archive it is; to be removed when it is complete

bool usable() noexcept {
  return is_open && ::getpid() == owner;
}

// Allocated now, since the program may leave no memory for them at the end.
void become_open() noexcept {
  map_local_ids();
  owner = ::getpid();
  is_open = true;
}

// Where the archive goes, as rank 0 tells the others.
struct Place {
  std::string directory;  // "": it said what is wrong
  std::string job;        // whose mark the directory bears; "": none, ranks cannot leave parts
};

// One for every start, also of a job's children.
std::string new_job() {
  return job_name() + "-" + std::to_string(::getpid());
}

// On rank 0: a new directory and in it the archive.
Place open_first() {
  const QuietSection quiet;
  const ArchiveDirectory made = make_archive_directory(settings.directory, program_name(), ranks.size());
  if (!is_usable(made)) {
    return {};
  }
  if (!open_session(made.path, true)) {
    give_up(("cannot make an archive in " + made.path + " (" + last_error() + ")").c_str());
    return {};
  }
  set_crash_safe_directory(made.path.c_str());
  make_crash_safe_directory();
  const std::string job = new_job();
  return {made.path, settings.crash_safe && mark_directory(made.path, job) ? job : ""};
}

// On all ranks, of which one says so.
bool refuse(const Place& place, const char* why_no_parts) {
  if (ranks.rank() == 0) {
    give_up((place.directory + " is not on a file system that all nodes share, and " + why_no_parts).c_str());
  }
  return false;
}

// A directory of that name may also be another one, left by an earlier run on this node.
bool sees(const Place& place) {
  const QuietSection quiet;
  return place.job.empty() ? ::access(place.directory.c_str(), F_OK) == 0
                           : is_directory_of(place.directory, place.job);
}

// On a node that does not see rank 0's directory: its own one, the same for all ranks there.
std::string own_directory(const Place& place) {
  const QuietSection quiet;
  const ArchiveDirectory joined =
      join_archive_directory(place.directory, program_name(), ranks.size(), place.job);
  if (joined.path.empty()) {
    give_up((joined.error + ", and rank 0's is not on a file system that all nodes share").c_str());
  }
  return joined.path;
}

bool open_other(const std::string& directory) {
  const QuietSection quiet;
  set_crash_safe_directory(directory.c_str());
  if (::access((directory + "/traces").c_str(), W_OK | X_OK) != 0) {
    give_up((directory + ", made by rank 0, cannot be written here").c_str());
    return false;
  }
  if (!open_session(directory, false)) {
    give_up(("cannot open the archive " + directory + " (" + last_error() + ")").c_str());
    return false;
  }
  return true;
}

Place place_of_rank_0() {
  Place place = ranks.rank() == 0 ? open_first() : Place{};
  std::vector<std::string> texts{place.directory, place.job};
  Blob bytes = to_blob(texts);
  ranks.broadcast(bytes);
  return from_blob(bytes, texts) && texts.size() == 2 ? Place{texts[0], texts[1]} : Place{};
}

// "": it was said what is wrong. Rank 0 has opened its own before.
bool open_in(const std::string& directory) {
  return !directory.empty() && (ranks.rank() == 0 || open_other(directory));
}

bool open_on_all_ranks() {
  if (!ranks.connect()) {
    give_up("MPI gave no communicator for the recorder");
    return false;
  }
  const Place place = place_of_rank_0();
  const bool seen = place.directory.empty() || sees(place);
  const bool opened = seen && open_in(place.directory);
  // What the worst of all ranks says.
  enum : int { kOpened, kSeen, kNotSeen };
  const int worst = ranks.largest(opened ? kOpened : seen ? kSeen : kNotSeen);
  world.part_of_node = worst == kNotSeen;
  if (world.part_of_node && place.job.empty()) {
    return refuse(place, "for a part on each node WAITPROF_CRASH_SAFE must be on");
  }
  if (worst == kSeen || (worst == kNotSeen && !ranks.all(seen ? opened : open_in(own_directory(place))))) {
    return false;
  }
  clocks.connect(ranks);
  if (!keep_events_in_files(ranks, clocks.measure()) && world.part_of_node) {
    return refuse(place, "a node has no room for a part of it");
  }
  mark = place.job;
  become_open();
  return true;
}

bool open_for_this_process() {
  const std::string why = "a program that uses sessions only is recorded in files, but ";
  if (!settings.crash_safe) {
    give_up((why + "WAITPROF_CRASH_SAFE is off").c_str());
    return false;
  }
  const ArchiveDirectory joined = [] {
    const QuietSection quiet;
    return join_archive_directory(settings.directory, program_name(), world.size, job_name());
  }();
  if (!is_usable(joined) || !open_other(joined.path)) {
    return false;
  }
  if (const int trouble = keep_own_events({now()}); trouble != 0) {
    give_up((why + "there is no room for them (" + std::strerror(trouble) + ")").c_str());
    return false;
  }
  become_open();
  return true;
}

// Nothing is open any more: what the files hold is whole.
void note_regular_end() noexcept {
  std::uint64_t missing = 0;
  for (const ThreadState* thread = thread_list(); thread != nullptr; thread = thread->next) {
    missing += thread->left_out.dropped_events;
    missing += thread->area == nullptr ? thread->written_events + unwritten_events(*thread) : 0;
  }
  journal_end(crash_safe::EndKind::LastSession, static_cast<int>(std::min<std::uint64_t>(missing, INT_MAX)));
}

// The one that said what is wrong: launchers keep the order of the lines of each rank, not of several.
bool speaks_last() noexcept {
  const int mine = worst_own_complaint() * ranks.size() + (worst_own_complaint() > 0 ? ranks.rank() : 0);
  return ranks.largest(mine) % ranks.size() == ranks.rank();
}

void say_what_is_left() noexcept {
  const bool left = ::access((session.directory + "/" + crash_safe::kDirectory).c_str(), F_OK) == 0;
  if (speaks_last() && left && has_journal()) {
    say("what was recorded is in %s/unfinished: waitdiag reads it once the archive can be written.",
        session.directory.c_str());
  }
}

// Once the anchor exists these files are no longer needed. Without it they are all that is left of the
// recording.
void remove_files_for_a_crash() noexcept {
  const bool first = ranks.rank() == 0;
  const bool complete = !first || ::access((session.directory + "/traces.otf2").c_str(), F_OK) == 0;
  if (!ranks.all(complete)) {
    note_regular_end();
    say_what_is_left();
    return;
  }
  remove_crash_safe_files();
  ranks.all(true);
  if (first) {
    remove_mark(session.directory, mark);
    remove_crash_safe_directory();
  }
}

std::string names_of(const std::string& hosts) {
  constexpr std::size_t kMostNames = 8;
  std::set<std::string> names;
  std::istringstream lines(hosts);
  for (std::string host; std::getline(lines, host);) {
    names.insert(host);
  }
  std::string text;
  std::size_t told = 0;
  for (auto name = names.begin(); name != names.end() && told < kMostNames; ++name, ++told) {
    text += (told > 0 ? ", " : "") + *name;
  }
  return told < names.size() ? text + " and " + std::to_string(names.size() - told) + " more" : text;
}

// Each node keeps what its ranks recorded, and how its clock was off in the end.
void leave_part() {
  const ClockOffset clock = clocks.finish().back();
  journal(RecordKind::ClockCompared, crash_safe::ClockRecord{clock.time, clock.offset, clock.error});
  note_regular_end();
  const std::string hosts = ranks.gather(std::string(world.host) + "\n");
  if (ranks.rank() == 0) {
    say("the nodes do not share %s: each has its ranks' part there. Copy them into one directory, then "
        "waitdiag joins "
        "them; nodes: %s",
        session.directory.c_str(), names_of(hosts).c_str());
  }
}

}  // namespace

bool open() noexcept {
  return guarded("opening the archive", open_on_all_ranks);
}

bool open_alone() noexcept {
  return guarded("opening the archive", open_for_this_process);
}

void end_alone() noexcept {
  if (usable()) {
    note_regular_end();
    is_open = false;
  }
}

bool flush(ThreadState& thread) noexcept {
  if (thread.excerpts != nullptr) {
    end_full_excerpt(thread);
    return false;
  }
  return usable() && guarded("writing events", [&thread] { return flush_events(thread); });
}

bool flush_samples(ThreadState& thread) noexcept {
  return usable() && guarded("writing samples", [&thread] { return write_events(thread); });
}

void close() noexcept {
  if (usable()) {
    if (world.part_of_node) {
      guarded("leaving this node's part", [] {
        leave_part();
        return true;
      });
    } else {
      give_back_journal_room();
      complete_archive(ranks, clocks);
      remove_files_for_a_crash();
    }
    clocks.disconnect();
    is_open = false;
  }
}

void compare_clocks(ThreadState& thread, bool paused) noexcept {
  if (!usable() || !clocks.can_measure_again()) {
    return;
  }
  guarded("comparing clocks", [&thread, paused] {
    const std::uint64_t begin = now();
    if (!clocks.measure_again() && first_to_complain(Complaint::Notice)) {
      say("another node did not answer: clocks are compared at the start and the end only");
    }
    if (!paused) {
      mark_pause(thread, begin);
    }
    return true;
  });
}

void abandon(int code) noexcept {
  if (usable()) {
    journal_end(crash_safe::EndKind::Abort, code);
    is_open = false;
  }
}

namespace {

// Called at exit() without MPI_Finalize, and when the host of a plugin ends; a child of fork() is not the
// owner. The MPI library may be gone by now.
__attribute__((destructor)) void note_exit() {
  if (usable()) {
    journal_end(crash_safe::EndKind::Exit, 0);
  }
}

}  // namespace

const char* directory() noexcept {
  return session.directory.c_str();
}

}  // namespace waitprof::archive
