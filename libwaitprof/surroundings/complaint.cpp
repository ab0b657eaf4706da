// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/complaint.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>

#include "libwaitprof/schema/crash_safe_layout.hpp"

namespace waitprof {
namespace {

char directory[4200] = "";
constinit std::atomic<int> worst_own{0};

// The rank that manages to remove a file is the one that complains: this works even on a full disk.
struct ComplaintPath {
  char text[4300];
};

ComplaintPath complaint_path(int complaint) noexcept {
  ComplaintPath path;
  std::snprintf(path.text, sizeof path.text, "%s/nobody-complained-yet.%d", directory, complaint);
  return path;
}

}  // namespace

void set_crash_safe_directory(const char* archive_directory) noexcept {
  std::snprintf(directory, sizeof directory, "%s/%s", archive_directory, crash_safe::kDirectory);
}

void make_crash_safe_directory() noexcept {
  ::mkdir(directory, 0777);
  const ComplaintPath first = complaint_path(0);
  for (int complaint = 0; complaint < kComplaints; ++complaint) {
    const ComplaintPath path = complaint_path(complaint);
    if (complaint > 0 && ::link(first.text, path.text) == 0) {
      continue;  // one more name of a file costs less than one more file
    }
    const int file = ::open(path.text, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
      return remove_crash_safe_directory();  // so that no rank keeps silent for lack of a file
    }
    ::close(file);
  }
}

bool first_to_complain(Complaint complaint) noexcept {
  const int saved_errno = errno;
  const bool first = directory[0] == '\0' ||
                     ::unlink(complaint_path(static_cast<int>(complaint)).text) == 0 || errno != ENOENT ||
                     ::access(directory, F_OK) != 0;
  errno = saved_errno;
  if (first) {
    worst_own = std::max(worst_own.load(), static_cast<int>(complaint) + 1);
  }
  return first;
}

int worst_own_complaint() noexcept {
  return worst_own;
}

const char* crash_safe_directory() noexcept {
  return directory;
}

void remove_crash_safe_directory() noexcept {
  for (int complaint = 0; complaint < kComplaints; ++complaint) {
    ::unlink(complaint_path(complaint).text);
  }
  ::rmdir(directory);
}

}  // namespace waitprof
