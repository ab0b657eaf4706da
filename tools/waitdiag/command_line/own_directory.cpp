// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/own_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace waitdiag::tool {

OwnDirectory::OwnDirectory(const std::filesystem::path& place, const std::string& name) {
  std::string pattern = (std::filesystem::absolute(place) / (name + "-XXXXXX")).lexically_normal().string();
  if (mkdtemp(pattern.data()) != nullptr)
    path_ = pattern;
  else
    trouble_ = std::strerror(errno);
}

OwnDirectory::~OwnDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace waitdiag::tool
