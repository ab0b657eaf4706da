// What this process can have: the machine's memory, or less if a cgroup (version 2 or 1) limits it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "analyzer/trace/memory/memory_limit.hpp"

namespace waitdiag {
namespace {

constexpr std::string_view kCgroups = "/sys/fs/cgroup";

// "max", or no such file: no limit.
std::uint64_t number_in(const std::string& file) {
  std::uint64_t bytes = 0;
  return std::ifstream(file) >> bytes && bytes > 0 ? bytes : ~std::uint64_t{0};
}

// Of a group and all around it.
std::uint64_t least_up_from(std::string group, const std::string& root, const std::string& file) {
  std::uint64_t least = number_in(root + "/" + file);
  for (; group.size() > 1; group.resize(group.find_last_of('/')))
    least = std::min(least, number_in(root + group + "/" + file));
  return least;
}

std::uint64_t cgroup_limit() {
  std::uint64_t least = ~std::uint64_t{0};
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // NUMBER:CONTROLLERS:/GROUP
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1),
                      group = line.substr(second + 1);
    if (controllers.empty())
      least = std::min(least, least_up_from(group, std::string(kCgroups), "memory.max"));
    else if (controllers == "memory")
      least =
          std::min(least, least_up_from(group, std::string(kCgroups) + "/memory", "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace

std::uint64_t usable_memory() {
  const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min(machine, cgroup_limit());
}

}  // namespace waitdiag
