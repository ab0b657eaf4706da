// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/job.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libwaitprof/schema/crash_safe_layout.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"
#include "libwaitprof/surroundings/complaint.hpp"
#include "libwaitprof/surroundings/launched_job.hpp"
#include "libwaitprof/surroundings/small_file.hpp"

namespace waitprof::archive {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The process at the other end of the socket that connects us to the launcher; our parent if there is no such
// socket.
pid_t launcher_process() noexcept {
  const char* const descriptor = std::getenv("PMI_FD");
  ucred other{};
  socklen_t size = sizeof other;
  const bool known = descriptor != nullptr &&
                     ::getsockopt(std::atoi(descriptor), SOL_SOCKET, SO_PEERCRED, &other, &size) == 0;
  return known && other.pid > 0 ? other.pid : ::getppid();
}

// Start of a process in clock ticks since boot: process numbers are reused, but with another start. "0" if it
// cannot be read.
std::string start_of(pid_t process) {
  constexpr int kFieldsBetween = 20;  // from after the name to the start: proc(5), fields 2 and 22
  char path[64], text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(process));
  read_small_file(path, text);
  const char* field = std::strrchr(text, ')');
  for (int i = 0; i < kFieldsBetween && field != nullptr; ++i) {
    field = std::strchr(field + 1, ' ');
  }
  return field != nullptr ? std::string(field + 1, std::strspn(field + 1, "0123456789")) : "0";
}

std::string hexadecimal(std::uint64_t number) {
  char text[32];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(number));
  return text;
}

// A file whose presence says to which job the directory belongs.
std::string mark_of(const std::string& directory, const std::string& job) {
  return directory + "/" + crash_safe::kDirectory + "/job-" + job;
}

// False with errno.
bool make_in(const std::string& directory, const std::string& job) {
  if (!make_directory(directory)) {
    return false;
  }
  set_crash_safe_directory(directory.c_str());
  make_crash_safe_directory();
  return ::mkdir((directory + "/traces").c_str(), 0777) == 0 && mark_directory(directory, job);
}

void remove_what_was_made(const std::string& directory, const std::string& job) {
  const int reason = errno;
  remove_mark(directory, job);
  set_crash_safe_directory(directory.c_str());
  remove_crash_safe_directory();
  ::rmdir((directory + "/traces").c_str());
  ::rmdir(directory.c_str());
  errno = reason;
}

bool is_taken(int reason) {
  return reason == EEXIST || reason == ENOTEMPTY || reason == ENOTDIR;
}

}  // namespace

std::string job_name() {
  const std::string here = environment("MPI_LOCALNRANKS");
  const bool one_node = !here.empty() && here == environment("PMI_SIZE");
  if (char name[kLongestJobName]; !one_node && slurm_step_name(name)) {
    return name;
  }
  const pid_t launcher = launcher_process();
  return std::to_string(launcher) + "-" + start_of(launcher) + "-" + hexadecimal(boot_identity());
}

ArchiveDirectory join_archive_directory(const std::string& wanted, const std::string& program, int ranks,
                                        const std::string& job) {
  const std::string by_job = program + "-" + std::to_string(ranks) + "p-" + job.substr(0, job.find('-'));
  const std::string base = absolute_path(wanted.empty() ? "waitprof-" + by_job : wanted);
  for (int suffix = 1; suffix <= kLastSuffix; ++suffix) {
    const std::string path = with_suffix(base, suffix);
    if (is_directory_of(path, job)) {
      return {path, "", ""};
    }
    const std::string made = path + ".new-" + hexadecimal(boot_identity()) + "-" + std::to_string(::getpid());
    if (!make_in(made, job)) {
      ArchiveDirectory failed = cannot_make(path);
      remove_what_was_made(made, job);
      return failed;
    }
    if (::rename(made.c_str(), path.c_str()) == 0) {
      return {path, suffix > 1 ? base : "", ""};
    }
    remove_what_was_made(made, job);
    if (!is_taken(errno)) {
      return cannot_make(path);
    }
    if (is_directory_of(path, job)) {
      return {path, "", ""};
    }
  }
  return all_taken(base);
}

bool mark_directory(const std::string& directory, const std::string& job) {
  return ::mkdir(mark_of(directory, job).c_str(), 0777) == 0;
}

bool is_directory_of(const std::string& directory, const std::string& job) {
  return ::access(mark_of(directory, job).c_str(), F_OK) == 0;
}

void remove_mark(const std::string& directory, const std::string& job) noexcept {
  ::rmdir(mark_of(directory, job).c_str());
}

}  // namespace waitprof::archive
