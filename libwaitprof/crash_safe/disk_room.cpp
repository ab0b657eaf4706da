// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/crash_safe/disk_room.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace waitprof {
namespace {

int write_zeros(int file, std::uint64_t from, std::uint64_t bytes) noexcept {
  static constexpr char kZeros[4096] = {};
  for (std::uint64_t done = 0; done < bytes;) {
    const std::size_t piece = std::min<std::uint64_t>(sizeof kZeros, bytes - done);
    const ssize_t written = ::pwrite(file, kZeros, piece, static_cast<off_t>(from + done));
    if (written <= 0 && errno != EINTR) {
      return written == 0 ? ENOSPC : errno;
    }
    done += written > 0 ? static_cast<std::uint64_t>(written) : 0;
  }
  return 0;
}

}  // namespace

int allocate_on_disk(int file, std::uint64_t from, std::uint64_t bytes) noexcept {
  int result = 0;
  do {
    result = ::fallocate(file, 0, static_cast<off_t>(from), static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result == 0) {
    return 0;
  }
  return errno == EOPNOTSUPP || errno == ENOSYS ? write_zeros(file, from, bytes) : errno;
}

bool overwrites_in_place(int file) noexcept {
  constexpr long kZfs = 0x2fc12fc1, kBcachefs = 0xca451a4e, kF2fs = 0xf2f52010;
  struct statfs facts {};
  if (::fstatfs(file, &facts) != 0) {
    return false;
  }
  if (facts.f_type == BTRFS_SUPER_MAGIC) {
    int flags = 0;
    flags |= ::ioctl(file, FS_IOC_GETFLAGS, &flags) == 0 ? FS_NOCOW_FL : 0;
    return flags != 0 && ::ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
  }
  return facts.f_type != kZfs && facts.f_type != kBcachefs && facts.f_type != kF2fs &&
         facts.f_type != NILFS_SUPER_MAGIC;
}

}  // namespace waitprof
