// Where a recording goes, and what is there after the run.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace waitdiag::tool {

class ArchiveDirectory {
 public:
  // Makes `wanted` (an existing empty directory will do), or waitprof-<name>-<date>-<time> in the current
  // directory when nothing is wanted. Nothing that exists is ever overwritten. Throws CannotStart.
  ArchiveDirectory(const std::string& wanted, const std::string& name);

  const std::filesystem::path& path() const { return path_; }  // absolute
  std::string shown() const;                                   // as short as the user would type it

  // The archives recorded there: one for each MPI program of the launch line; further ones have suffixes -2,
  // -3 ...
  std::vector<std::filesystem::path> archives() const;
  bool empty() const;
  void remove_if_empty() const;  // leaves no empty directory behind

 private:
  std::filesystem::path path_;
};

}  // namespace waitdiag::tool
