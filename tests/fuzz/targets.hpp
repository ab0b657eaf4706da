// The fuzz targets: each takes any bytes and returns, or ends the process with a finding.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace waitdiag::fuzz {

void read_as_text(std::string_view bytes);

// The first byte chooses a file of one of the base archives, the rest replaces its content.
class ArchiveTarget {
 public:
  ArchiveTarget();  // writes the base archives into a directory of its own

  void read(std::string_view bytes) const;
  std::vector<std::string> seeds() const;  // every file as it is

 private:
  struct File {
    std::filesystem::path archive, path;
    std::string content;
  };
  TemporaryDirectory directory_;
  std::vector<File> files_;
};

}  // namespace waitdiag::fuzz
