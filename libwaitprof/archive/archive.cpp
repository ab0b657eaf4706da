// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/archive.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>

#include "libwaitprof/archive/closing.hpp"
#include "libwaitprof/archive/directory.hpp"
#include "libwaitprof/archive/guarded.hpp"
#include "libwaitprof/archive/job.hpp"
#include "libwaitprof/archive/local_ids.hpp"
#include "libwaitprof/archive/otf2_session.hpp"
#include "libwaitprof/archive/program_name.hpp"
#include "libwaitprof/archive/ranks.hpp"
#include "libwaitprof/archive/start_journal.hpp"
#include "libwaitprof/archive/write_events.hpp"
#include "libwaitprof/buffer/excerpts.hpp"
#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/crash_safe.hpp"
#include "libwaitprof/crash_safe/journal.hpp"
#include "libwaitprof/settings/settings.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/quiet_section.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof::archive {
namespace {

Ranks ranks;
ClockOffsets clocks;
pid_t owner = 0;  // a forked child has a copy of everything and must not write
bool is_open = false;

bool usable() noexcept {
  return is_open && ::getpid() == owner;
}

// The program may leave no memory for them at the end.
void become_open() noexcept {
  map_local_ids();
  owner = ::getpid();
  is_open = true;
}

// On rank 0: a new directory and in it the archive. Returns its path, "" after saying what is wrong.
std::string open_first() {
  const QuietSection quiet;
  const ArchiveDirectory made = make_archive_directory(settings.directory, program_name(), ranks.size());
  if (!is_usable(made)) {
    return "";
  }
  if (!open_session(made.path, true)) {
    give_up(("cannot make an archive in " + made.path + " (" + last_error() + ")").c_str());
    return "";
  }
  set_crash_safe_directory(made.path.c_str());
  make_crash_safe_directory();
  return made.path;
}

bool open_other(const std::string& directory) {
  const QuietSection quiet;
  set_crash_safe_directory(directory.c_str());
  if (::access((directory + "/traces").c_str(), W_OK | X_OK) != 0) {
    give_up((directory +
             " made by rank 0 cannot be written here; it must be on a file system that all nodes share")
                .c_str());
    return false;
  }
  if (!open_session(directory, false)) {
    give_up(("cannot open the archive " + directory + " (" + last_error() + ")").c_str());
    return false;
  }
  return true;
}

bool open_on_all_ranks() {
  if (!ranks.connect()) {
    give_up("MPI gave no communicator for the recorder");
    return false;
  }
  const std::string made = ranks.rank() == 0 ? open_first() : "";
  Blob path = to_blob(made);
  ranks.broadcast(path);
  std::string directory;
  from_blob(path, directory);
  const bool opened = !directory.empty() && (ranks.rank() == 0 || open_other(directory));
  if (!ranks.all(opened)) {
    ranks.disconnect();
    return false;
  }
  clocks.connect(ranks);
  keep_events_in_files(ranks, clocks.measure());
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

// Once the anchor is there nobody needs them any more. Without it they are what is left.
void remove_files_for_a_crash() noexcept {
  const bool first = ranks.rank() == 0;
  const bool complete = !first || ::access((session.directory + "/traces.otf2").c_str(), F_OK) == 0;
  if (!ranks.all(complete)) {
    note_regular_end();
    if (first && has_journal()) {
      say("what was recorded is in %s/unfinished: waitdiag reads it once the archive can be written.",
          session.directory.c_str());
    }
    return;
  }
  remove_crash_safe_files();
  ranks.all(true);
  if (first) {
    remove_crash_safe_directory();
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
    give_back_journal_room();
    complete_archive(ranks, clocks);
    remove_files_for_a_crash();
    clocks.disconnect();
    ranks.disconnect();
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

// exit() without MPI_Finalize comes by here, and so does a plugin's host that ends; a child of fork() is not
// the owner. The MPI library may be gone by now.
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
