// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/record/complaint.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "libwaitprof/record/crash_safe_layout.hpp"

namespace waitprof {
namespace {

char directory[4200] = "";

// Which rank complains is decided by who removes this file: that works on a full disk, too.
struct ComplaintPath {
  char text[4300];
};

ComplaintPath complaint_path() noexcept {
  ComplaintPath path;
  std::snprintf(path.text, sizeof path.text, "%s/nobody-complained-yet", directory);
  return path;
}

}  // namespace

void set_crash_safe_directory(const char* archive_directory) noexcept {
  std::snprintf(directory, sizeof directory, "%s/%s", archive_directory, crash_safe::kDirectory);
}

void make_crash_safe_directory() noexcept {
  ::mkdir(directory, 0777);
  const int file = ::open(complaint_path().text, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file >= 0) {
    ::close(file);
  } else {
    ::rmdir(directory);  // so that nobody keeps silent because of a file that never was
  }
}

bool first_to_complain() noexcept {
  const int saved_errno = errno;
  const bool first = directory[0] == '\0' || ::unlink(complaint_path().text) == 0 || errno != ENOENT ||
                     ::access(directory, F_OK) != 0;
  errno = saved_errno;
  return first;
}

const char* crash_safe_directory() noexcept {
  return directory;
}

void remove_crash_safe_directory() noexcept {
  ::unlink(complaint_path().text);
  ::rmdir(directory);
}

}  // namespace waitprof
