// See attendance.hpp. The list is a file in shared memory, named after the process that launched the ranks: a
// byte for each rank.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/attendance.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libwaitprof/surroundings/say.hpp"
#include "libwaitprof/surroundings/small_file.hpp"

namespace waitprof {
namespace {

constexpr long kMostPlaces = 4096;  // of one machine

struct List {
  char path[64] = "";
  long rank = 0, ranks = 0;
  int file = -1;
  bool kept = false;
};
constinit List list;

long variable(const char* variable) noexcept {
  const char* const value = ::getenv(variable);
  return value != nullptr ? std::strtol(value, nullptr, 10) : -1;
}

struct Process {
  bool launches = false;
  long parent = 0;
  unsigned long long started = 0;  // since the machine did
};

// Of /proc/<id>/stat: the name in brackets, which may contain any; state and parent behind it; the start is
// the 22nd value of all.
Process look_at(long id) noexcept {
  char path[32], text[512];
  std::snprintf(path, sizeof path, "/proc/%ld/stat", id);
  Process process;
  read_small_file(path, text);
  const char* const name = std::strchr(text, '(');
  const char* const behind = std::strrchr(text, ')');
  if (name == nullptr || behind == nullptr) return process;
  constexpr char kLauncher[] = "(hydra_pmi_proxy";
  process.launches = std::strncmp(name, kLauncher, sizeof kLauncher - 1) == 0;
  constexpr char kNineteenValues[] =
      ") %*c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu";
  if (std::sscanf(behind, kNineteenValues, &process.parent, &process.started) != 2) return {};
  return process;
}

// The launcher, through scripts and tools that may stand between; false: there is none to be seen.
bool name_list() noexcept {
  constexpr int kMostBetween = 16;
  long id = ::getppid();
  for (int i = 0; i < kMostBetween && id > 1; ++i) {
    const Process process = look_at(id);
    if (process.launches) {
      std::snprintf(list.path, sizeof list.path, "/dev/shm/waitprof.%ld.%llu", id, process.started);
      return true;
    }
    id = process.parent;
  }
  return false;
}

}  // namespace

void sign_in() noexcept {
  list = {};
  list.rank = variable("PMI_RANK");
  list.ranks = variable("PMI_SIZE");
  const bool one_machine = list.ranks > 1 && list.ranks == variable("MPI_LOCALNRANKS");
  if (!one_machine || list.ranks > kMostPlaces || list.rank < 0 || list.rank >= list.ranks) return;
  list.kept = name_list();
  if (!list.kept) return;
  constexpr mode_t kMine = 0600;
  list.file = ::open(list.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMine);
  if (list.file < 0 && (errno == ENOENT || errno == EROFS)) list.kept = false;  // for nobody on this machine
  if (list.file >= 0 && ::pwrite(list.file, "1", 1, list.rank) != 1) {
    ::close(list.file);
    list.file = -1;
  }
}

Attendance attendance() noexcept {
  if (!list.kept) return Attendance::Unknown;
  list.kept = false;
  char signatures[kMostPlaces] = "";
  // Who could not sign is missed by the others as well.
  if (list.file < 0) {
    if (list.rank == 0) say("cannot write to /dev/shm, where ranks find each other: nothing is recorded.");
    return Attendance::Some;
  }
  const ssize_t read = ::pread(list.file, signatures, sizeof signatures, 0);
  ::close(list.file);
  ::unlink(list.path);
  const std::string_view signed_by(signatures, read > 0 ? static_cast<std::size_t>(read) : 0);
  const auto present = std::count(signed_by.begin(), signed_by.end(), '1');
  if (present == list.ranks) return Attendance::All;
  if (signed_by.find('1') == static_cast<std::size_t>(list.rank))
    say("only %ld of %ld ranks have this library (the others do not preload it, or their MPI is linked "
        "statically): "
        "nothing is recorded.",
        static_cast<long>(present), list.ranks);
  return Attendance::Some;
}

}  // namespace waitprof
