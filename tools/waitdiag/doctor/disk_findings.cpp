// The disk that an archive would go to: what kind it is, how much room it has, how fast it takes data.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <vector>

#include "analyzer/wording/numbers.hpp"
#include "libwaitprof/schema/schema.hpp"
#include "tools/waitdiag/doctor/machine_findings.hpp"

namespace waitdiag::tool {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;
constexpr std::uint64_t kBufferOfRank = waitprof::schema::kBufferMib * kMiB;
constexpr std::uint64_t kLittleRoom = 1024 * kMiB;
constexpr double kSlow = 50.0 * kMiB;  // bytes a second

struct FileSystem {
  std::uint32_t magic;  // statfs(2), linux/magic.h
  const char* name;
  const char* remark;  // "" where there is nothing to say
};
constexpr char kShared[] =
    "a network file system; if it is slow, name a directory of the node's own disk with -o";
constexpr std::array<FileSystem, 11> kFileSystems{
    {{0x01021994, "tmpfs", "in memory: what is recorded takes memory from the program; name a disk with -o"},
     {0x6969, "NFS", kShared},
     {0x0bd00bd0, "Lustre", ""},
     {0x47504653, "GPFS", ""},
     {0x19830326, "BeeGFS", ""},
     {0xff534d42, "CIFS", kShared},
     {0xfe534d42, "SMB", kShared},
     {0xef53, "ext4", ""},
     {0x58465342, "XFS", ""},
     {0x9123683e, "Btrfs", ""},
     {0x794c7630, "overlay", ""}}};

FileSystem file_system_of(const std::filesystem::path& directory) {
  struct statfs facts {};
  if (statfs(directory.c_str(), &facts) != 0) return {0, "unknown file system", ""};
  const auto magic = static_cast<std::uint32_t>(facts.f_type);
  const auto* found = std::find_if(kFileSystems.begin(), kFileSystems.end(),
                                   [magic](const FileSystem& kind) { return kind.magic == magic; });
  return found == kFileSystems.end() ? FileSystem{magic, "another file system", ""} : *found;
}

std::string place_of(const std::filesystem::path& directory) {
  return directory.parent_path().string();
}

Finding room_finding(const std::filesystem::path& directory, std::uint64_t ranks) {
  struct statvfs facts {};
  if (statvfs(directory.c_str(), &facts) != 0)
    return {Grade::Note, "disk", "how much room there is in " + place_of(directory) + " is not known"};
  const std::uint64_t free = std::uint64_t{facts.f_bavail} * facts.f_frsize;
  const std::uint64_t needed = std::max<std::uint64_t>(ranks, 1) * kBufferOfRank;
  if (free < needed)
    return {Grade::Problem, "disk",
            fmt::format("{} free in {}, but the ranks' buffers alone take {}; free some, or name another "
                        "directory with -o",
                        format_bytes(free), place_of(directory), format_bytes(needed))};
  if (free < std::max(kLittleRoom, 2 * needed))
    return {Grade::Note, "disk",
            fmt::format("only {} free in {}; recording stops when it is full: free some, or name another "
                        "directory with -o",
                        format_bytes(free), place_of(directory))};
  return {Grade::Ok, "disk", fmt::format("{} free in {}", format_bytes(free), place_of(directory))};
}

// Bytes a second written through to the disk itself, or 0 and errno.
double writing_speed(const std::filesystem::path& file) {
  constexpr int kPieces = 16;
  const std::vector<char> piece(kMiB, 'x');
  const int descriptor = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor < 0) return 0;
  const auto start = std::chrono::steady_clock::now();
  bool written = true;
  int error = ENOSPC;  // what a short write means, since it sets no error
  for (int i = 0; i < kPieces && written; ++i) {
    const ssize_t taken = write(descriptor, piece.data(), piece.size());
    if (taken < 0) error = errno;
    written = taken == static_cast<ssize_t>(piece.size());
  }
  if (written && fdatasync(descriptor) != 0) {
    error = errno;
    written = false;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  close(descriptor);
  unlink(file.c_str());
  errno = error;
  return written ? kPieces * static_cast<double>(kMiB) / std::max(took.count(), 1e-6) : 0;
}

Finding speed_finding(const std::filesystem::path& directory) {
  const FileSystem kind = file_system_of(directory);
  const double speed = writing_speed(directory / "speed");
  if (speed == 0)
    return {Grade::Problem, "disk",
            fmt::format("writing 16 MiB to {} failed ({}); name another directory with -o",
                        place_of(directory), std::strerror(errno))};
  const std::string text =
      fmt::format("{}, takes {}/s", kind.name, format_bytes(static_cast<std::uint64_t>(speed)));
  if (speed < kSlow)
    return {Grade::Note, "disk",
            text +
                ", which is slow: MPI_Finalize lasts until the archive is written; name another directory "
                "with -o, or record a part of the run (WAITPROF_STEPS)"};
  if (*kind.remark != '\0') return {Grade::Note, "disk", text + "; " + kind.remark};
  return {Grade::Ok, "disk", text};
}

}  // namespace

Findings disk_findings(const std::filesystem::path& directory, std::uint64_t ranks) {
  return {room_finding(directory, ranks), speed_finding(directory)};
}

}  // namespace waitdiag::tool
