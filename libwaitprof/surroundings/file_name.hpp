// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

namespace waitprof {

// The name of a file without its directories.
inline const char* file_name(const char* path) noexcept {
  const char* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

}  // namespace waitprof
