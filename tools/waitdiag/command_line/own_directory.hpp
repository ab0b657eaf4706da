// A new directory for this program, removed with its contents by the destructor.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace waitdiag::tool {

class OwnDirectory {
 public:
  // Creates it in `place`, named `name` plus six letters.
  OwnDirectory(const std::filesystem::path& place, const std::string& name);
  ~OwnDirectory();
  OwnDirectory(const OwnDirectory&) = delete;
  OwnDirectory& operator=(const OwnDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }  // "" when it could not be made
  const std::string& trouble() const { return trouble_; }      // why

 private:
  std::filesystem::path path_;
  std::string trouble_;
};

}  // namespace waitdiag::tool
