// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/recover/running_process.hpp"

#include <fstream>
#include <string>

#include "libwaitprof/record/boot_identity.hpp"
#include "libwaitprof/record/crash_safe_layout.hpp"

namespace waitprof::archive {

bool process_has_mapped(std::uint64_t process, std::uint64_t boot, std::uint64_t inode) {
  if (boot != boot_identity()) {
    return false;
  }
  const std::string wanted = " " + std::to_string(inode) + " ";
  std::ifstream mappings("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(mappings, line);) {
    if (line.find(wanted) != line.npos && line.find(crash_safe::kJournalSuffix) != line.npos) {
      return true;
    }
  }
  return false;
}

}  // namespace waitprof::archive
