// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/lifecycle/bulletin.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace waitprof {
namespace {

struct Path {
  char text[3900];
};

constexpr char kSpeaker[] = "speaker";

Path path_of(const char* directory, long rank) noexcept {
  Path path;
  std::snprintf(path.text, sizeof path.text, "%.3800s/%ld", directory, rank);
  return path;
}

Path path_of_speaker(const char* directory) noexcept {
  Path path;
  std::snprintf(path.text, sizeof path.text, "%.3800s/%s", directory, kSpeaker);
  return path;
}

bool create(const char* path, int flags) noexcept {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
  if (file >= 0) ::close(file);
  return file >= 0;
}

// Whether only the file of the rank that prints messages is left.
bool is_deserted(const char* directory) noexcept {
  DIR* const open = ::opendir(directory);
  if (open == nullptr) return false;
  bool deserted = true;
  while (const dirent* entry = ::readdir(open)) {
    deserted = deserted && (entry->d_name[0] == '.' || std::strcmp(entry->d_name, kSpeaker) == 0);
  }
  ::closedir(open);
  return deserted;
}

}  // namespace

bool Bulletin::sign(const LaunchedJob& job) noexcept {
  *this = {};
  return job.pmi >= 0 ? sign_with_launcher(job) : job.on_all_machines && sign_in_directories(job);
}

// The launcher speaks PMI 1: it answers each line with a line. MPI sends the same greeting again later, which
// is allowed.
bool Bulletin::sign_with_launcher(const LaunchedJob& job) noexcept {
  launcher_ = job.pmi;
  char answer[1024], question[512];
  if (!ask_launcher("cmd=init pmi_version=1 pmi_subversion=1\n", answer) ||
      !ask_launcher("cmd=get_my_kvsname\n", answer)) {
    return false;
  }
  const char* const name = std::strstr(answer, "kvsname=");
  if (name == nullptr || std::sscanf(name, "kvsname=%255s", table_) != 1) return false;
  std::snprintf(question, sizeof question, "cmd=put kvsname=%s key=waitprof-%ld value=here\n", table_,
                job.rank);
  return ask_launcher(question, answer) && std::strstr(answer, "rc=0") != nullptr;
}

bool Bulletin::ask_launcher(const char* question, char (&answer)[1024]) const noexcept {
  constexpr int kPatience = 10'000;  // ms
  const std::size_t length = std::strlen(question);
  if (::write(launcher_, question, length) != static_cast<ssize_t>(length)) return false;
  for (std::size_t used = 0; used < sizeof answer - 1;) {
    pollfd readable{launcher_, POLLIN, 0};
    const int ready = ::poll(&readable, 1, kPatience);
    if (ready < 0 && errno == EINTR) continue;
    // Byte by byte: anything after this line is not for us.
    if (ready != 1 || ::read(launcher_, answer + used, 1) != 1) return false;
    if (answer[used] == '\n') {
      answer[used] = '\0';
      return true;
    }
    ++used;
  }
  return false;
}

// Nodes may not share the directory of the archive, but the one that the program runs in.
bool Bulletin::sign_in_directories(const LaunchedJob& job) noexcept {
  const char* const archive = std::getenv("WAITPROF_DIR");
  const char* const slash = archive != nullptr ? std::strrchr(archive, '/') : nullptr;
  char parent[sizeof Directory::path];
  std::snprintf(parent, sizeof parent, "%.*s", slash != nullptr ? static_cast<int>(slash - archive) : 0,
                slash != nullptr ? archive : "");
  const bool first = parent[0] != '\0' && directories_[0].sign(parent, job);
  const bool second = directories_[1].sign(".", job);
  if (std::strcmp(directories_[0].path, directories_[1].path) == 0) directories_[1] = {};
  return first || second;
}

bool Bulletin::Directory::sign(const char* parent, const LaunchedJob& job) noexcept {
  char here[3600] = "";
  const bool relative = parent[0] != '/';  // the program may go elsewhere meanwhile
  const bool same = std::strcmp(parent, ".") == 0;
  if (relative && ::getcwd(here, sizeof here) == nullptr) return false;
  const int length = std::snprintf(path, sizeof path, "%s%s%s/.waitprof-%s", here,
                                   relative && !same ? "/" : "", same ? "" : parent, job.name);
  if (length < static_cast<int>(sizeof path)) {
    ::mkdir(path, 0700);
    if (create(path_of(path, job.rank).text, 0)) return true;
  }
  path[0] = '\0';
  return false;
}

bool Bulletin::is_signed_by(long rank) const noexcept {
  if (launcher_ < 0) {
    return std::ranges::any_of(directories_, [rank](const Directory& directory) {
      return directory.known() && ::access(path_of(directory.path, rank).text, F_OK) == 0;
    });
  }
  char answer[1024], question[512];
  std::snprintf(question, sizeof question, "cmd=get kvsname=%s key=waitprof-%ld\n", table_, rank);
  return ask_launcher(question, answer) && std::strstr(answer, "value=here") != nullptr;
}

// All ask in the same order, so that one comes to the end.
bool Bulletin::may_speak(long rank) const noexcept {
  if (launcher_ < 0) {
    return std::ranges::all_of(directories_, [](const Directory& directory) {
      return !directory.known() || create(path_of_speaker(directory.path).text, O_EXCL);
    });
  }
  for (long before = 0; before < rank; ++before) {
    if (is_signed_by(before)) return false;
  }
  return true;
}

// The last one tidies up.
void Bulletin::clear(long rank) const noexcept {
  for (const Directory& directory : directories_) {
    if (!directory.known()) continue;
    ::unlink(path_of(directory.path, rank).text);
    if (is_deserted(directory.path)) {
      ::unlink(path_of_speaker(directory.path).text);
      ::rmdir(directory.path);
    }
  }
}

}  // namespace waitprof
