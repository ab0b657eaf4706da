// Finds the file that a command name starts.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/search_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace waitdiag::tool {
namespace {

bool is_executable_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_executable(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_executable_file(name) ? name : "";
  const char* search = std::getenv("PATH");
  for (std::string_view rest = search == nullptr ? "" : search; !rest.empty();) {
    const std::size_t length = std::min(rest.find(':'), rest.size());
    const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, length)) / name;
    if (is_executable_file(candidate)) return candidate.string();
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return "";
}

}  // namespace waitdiag::tool
