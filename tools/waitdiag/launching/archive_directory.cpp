// Where a recording goes, and what is there after the run.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/archive_directory.hpp"

#include <ctime>
#include <system_error>

#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/input/recovery.hpp"

namespace waitdiag::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnchor = "traces.otf2";
constexpr int kMostSuffixes = 1000;

std::string time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return text;
}

fs::path with_suffix(const fs::path& base, int suffix) {
  return suffix == 1 ? base : fs::path(base.string() + "-" + std::to_string(suffix));
}

[[noreturn]] void cannot_make(const fs::path& path, const std::error_code& trouble) {
  throw CannotStart("cannot make the archive directory " + path.string() + " (" + trouble.message() +
                    "); name another one with -o DIR");
}

// create_directories() also succeeds if the directory exists already; only a new or an empty one may be used.
bool claim(const fs::path& path) {
  std::error_code trouble;
  if (fs::create_directories(path, trouble)) return true;
  if (trouble) cannot_make(path, trouble);
  const bool empty = fs::is_empty(path, trouble);
  if (trouble) cannot_make(path, trouble);
  return empty;
}

}  // namespace

ArchiveDirectory::ArchiveDirectory(const std::string& wanted, const std::string& name) {
  if (!wanted.empty()) {
    path_ = fs::absolute(wanted).lexically_normal();
    if (!path_.has_filename()) path_ = path_.parent_path();
    if (!claim(path_))
      throw CannotStart(wanted +
                        " exists and is not empty; remove it, or name another directory with -o DIR");
    return;
  }
  const fs::path base = fs::absolute("waitprof-" + name + "-" + time_stamp());
  for (int suffix = 1; suffix <= kMostSuffixes; ++suffix) {
    path_ = with_suffix(base, suffix);
    if (claim(path_)) return;
  }
  throw CannotStart("all names from " + base.string() + " on are taken; name another directory with -o DIR");
}

std::string ArchiveDirectory::shown() const {
  std::error_code ignored;
  const fs::path relative = path_.lexically_relative(fs::current_path(ignored));
  return relative.empty() || *relative.begin() == ".." ? path_.string() : relative.string();
}

std::vector<fs::path> ArchiveDirectory::archives() const {
  std::vector<fs::path> found;
  std::error_code ignored;
  const auto recorded = [&](const fs::path& path) {
    return fs::exists(path / kAnchor, ignored) || is_unfinished(path.string());
  };
  for (int suffix = 1; suffix <= kMostSuffixes && recorded(with_suffix(path_, suffix)); ++suffix)
    found.push_back(with_suffix(path_, suffix));
  return found;
}

bool ArchiveDirectory::empty() const {
  std::error_code trouble;
  return fs::is_empty(path_, trouble) || trouble;
}

void ArchiveDirectory::remove_if_empty() const {
  std::error_code ignored;
  if (empty()) fs::remove(path_, ignored);
}

}  // namespace waitdiag::tool
