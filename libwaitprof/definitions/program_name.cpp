// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/definitions/program_name.hpp"

#include <unistd.h>

namespace waitprof::archive {

std::string program_name() {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string name(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return length > 0 ? name.substr(name.rfind('/') + 1) : "unknown";
}

}  // namespace waitprof::archive
