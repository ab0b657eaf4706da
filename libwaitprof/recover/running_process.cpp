// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/recover/running_process.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>

#include "libwaitprof/schema/crash_safe_layout.hpp"
#include "libwaitprof/schema/crc32.hpp"
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

constexpr std::size_t kMostFiles =
    24;  // that are looked at: of a thousand ranks, megabytes and not gigabytes

std::uint32_t contents(const std::vector<std::string>& files) {
  schema::Crc32 all;
  std::array<char, 1 << 16> piece{};
  const std::size_t step = std::max<std::size_t>(1, files.size() / kMostFiles);
  for (std::size_t at = 0; at < files.size(); at += step) {
    std::ifstream file(files[at], std::ios::binary);
    do {
      file.read(piece.data(), piece.size());
      all.add(reinterpret_cast<const unsigned char*>(piece.data()), static_cast<std::size_t>(file.gcount()));
    } while (file);
  }
  return all.value();
}

}  // namespace

bool of_other_boot(std::uint64_t boot) {
  return boot != 0 && boot != boot_identity();
}

bool files_keep_changing(const std::vector<std::string>& files) {
  constexpr std::chrono::seconds kPause(1);
  constexpr int kLooks = 3;  // launchers return before the processes that they kill are gone
  std::uint32_t before = contents(files);
  for (int look = 0; look < kLooks; ++look) {
    std::this_thread::sleep_for(kPause);
    const std::uint32_t now = contents(files);
    if (now == before) return false;
    before = now;
  }
  return true;
}

bool process_keeps_mapped(std::uint64_t process, std::uint64_t boot, std::uint64_t inode) {
  constexpr std::chrono::milliseconds kPatience(2000), kPause(20);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  bool mapped = !of_other_boot(boot) && has_mapped(process, inode);
  while (mapped && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kPause);
    mapped = has_mapped(process, inode);
  }
  return mapped;
}

}  // namespace waitprof::archive
