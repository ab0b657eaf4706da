// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/directory.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>

namespace waitprof::archive {
namespace {

constexpr int kLastSuffix = 9999;

std::string default_name(const std::string& program, int ranks) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  return "waitprof-" + program + "-" + std::to_string(ranks) + "p-" + stamp;
}

std::string absolute(const std::string& path) {
  if (!path.empty() && path.front() == '/') {
    return path;
  }
  const std::unique_ptr<char, void (*)(void*)> directory(::getcwd(nullptr, 0), std::free);
  return directory ? std::string(directory.get()) + "/" + path : path;
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

ArchiveDirectory failure(const std::string& path) {
  return {"", "", "cannot make the directory " + path + " (" + std::strerror(errno) + ")"};
}

}  // namespace

ArchiveDirectory make_archive_directory(const std::string& wanted, const std::string& program, int ranks) {
  std::string base = absolute(wanted.empty() ? default_name(program, ranks) : wanted);
  while (base.size() > 1 && base.back() == '/') {
    base.pop_back();
  }
  for (int suffix = 1; suffix <= kLastSuffix; ++suffix) {
    const std::string path = suffix == 1 ? base : base + "-" + std::to_string(suffix);
    if (make_directory(path)) {
      return {path, suffix > 1 ? base : "", ""};
    }
    if (errno != EEXIST) {
      return failure(path);
    }
    if (!wanted.empty() && is_empty_directory(path)) {
      if (::access(path.c_str(), W_OK | X_OK) != 0) {
        return failure(path + "/traces");
      }
      return {path, suffix > 1 ? base : "", ""};
    }
  }
  return {"", "", "all names " + base + ", -2 ... -" + std::to_string(kLastSuffix) + " are taken"};
}

}  // namespace waitprof::archive
