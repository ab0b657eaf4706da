// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/recover/running_process.hpp"

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "libwaitprof/schema/crash_safe_layout.hpp"
#include "libwaitprof/surroundings/boot_identity.hpp"

namespace waitprof::archive {

namespace {

bool has_mapped(std::uint64_t process, std::uint64_t inode) {
  const std::string wanted = " " + std::to_string(inode) + " ";
  std::ifstream mappings("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(mappings, line);) {
    if (line.find(wanted) != line.npos && line.find(crash_safe::kJournalSuffix) != line.npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool process_keeps_mapped(std::uint64_t process, std::uint64_t boot, std::uint64_t inode) {
  constexpr std::chrono::milliseconds kPatience(2000), kPause(20);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  bool mapped = boot == boot_identity() && has_mapped(process, inode);
  while (mapped && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kPause);
    mapped = has_mapped(process, inode);
  }
  return mapped;
}

}  // namespace waitprof::archive
