// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/directory.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>

#include "libwaitprof/buffer/recorder.hpp"
#include "libwaitprof/crash_safe/other_jobs.hpp"
#include "libwaitprof/surroundings/say.hpp"

namespace waitprof::archive {
namespace {

std::string default_name(const std::string& program, int ranks) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  return "waitprof-" + program + "-" + std::to_string(ranks) + "p-" + stamp;
}

bool is_empty_directory(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (!directory) {
    return false;
  }
  while (const dirent* entry = ::readdir(directory.get())) {
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) {
      return false;
    }
  }
  return true;
}

void make_parents(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0777);  // its success shows in the mkdir that follows
  }
}

}  // namespace

std::string absolute_path(const std::string& path) {
  std::string absolute = path;
  if (path.empty() || path.front() != '/') {
    const std::unique_ptr<char, void (*)(void*)> directory(::getcwd(nullptr, 0), std::free);
    absolute = directory ? std::string(directory.get()) + "/" + path : path;
  }
  while (absolute.size() > 1 && absolute.back() == '/') {
    absolute.pop_back();
  }
  return absolute;
}

std::string with_suffix(const std::string& base, int suffix) {
  return suffix == 1 ? base : base + "-" + std::to_string(suffix);
}

bool make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0) {
    return true;
  }
  if (errno != ENOENT) {
    return false;
  }
  make_parents(path);
  return ::mkdir(path.c_str(), 0777) == 0;
}

ArchiveDirectory cannot_make(const std::string& path) {
  return {"", "", "cannot make the directory " + path + " (" + std::strerror(errno) + ")"};
}

ArchiveDirectory all_taken(const std::string& base) {
  return {"", "", "all names " + base + ", -2 ... -" + std::to_string(kLastSuffix) + " are taken"};
}

ArchiveDirectory make_archive_directory(const std::string& wanted, const std::string& program, int ranks) {
  const std::string base = absolute_path(wanted.empty() ? default_name(program, ranks) : wanted);
  for (int suffix = 1; suffix <= kLastSuffix; ++suffix) {
    const std::string path = with_suffix(base, suffix);
    if (make_directory(path)) {
      return {path, suffix > 1 ? base : "", ""};
    }
    if (errno != EEXIST) {
      return cannot_make(path);
    }
    if (!wanted.empty() && is_empty_directory(path)) {
      if (::access(path.c_str(), W_OK | X_OK) != 0) {
        return cannot_make(path + "/traces");
      }
      return {path, suffix > 1 ? base : "", ""};
    }
  }
  return all_taken(base);
}

bool is_usable(const ArchiveDirectory& directory) {
  if (directory.path.empty()) {
    give_up((directory.error + "; set WAITPROF_DIR to one that can be made").c_str());
    return false;
  }
  // The directory of a spawned job is taken by the one that spawned it: not worth a line.
  if (!directory.taken.empty() && other_jobs().parents == 0) {
    say("%s is taken: the archive goes to %s", directory.taken.c_str(), directory.path.c_str());
  }
  return true;
}

}  // namespace waitprof::archive
