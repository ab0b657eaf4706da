// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/memory/scratch_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "analyzer/trace/memory/memory_limit.hpp"

namespace waitdiag {
namespace {

constexpr std::uint64_t kPage = 4096, kGrowth = std::uint64_t{256} << 20,
                        kHandedBack = std::uint64_t{8} << 20;
constexpr std::size_t kMostAddresses = std::size_t{1} << 43, kFewestAddresses = std::size_t{1} << 32;

std::uint64_t up_to_multiple(std::uint64_t bytes, std::uint64_t of) {
  return (bytes + of - 1) / of * of;
}

ScratchError trouble(const std::string& directory, int error) {
  return ScratchError(
      fmt::format("the scratch file in {} cannot be {} ({}): what does not fit in memory lies there; name a "
                  "directory on a larger disk with --scratch, or allow more with --memory",
                  directory, error == ENOSPC || error == EDQUOT || error == EFBIG ? "made larger" : "written",
                  std::strerror(error)));
}

int open_without_name(const std::string& directory) {
  int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
  std::string name = directory + "/waitdiag-scratch-XXXXXX";
  file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

}  // namespace

ScratchFile::ScratchFile(const std::string& directory)
    : directory_(directory), file_(open_without_name(directory)) {
  if (file_ < 0) throw trouble(directory_, errno);
  for (reserved_ = kMostAddresses; reserved_ >= kFewestAddresses; reserved_ /= 2) {
    void* const base =
        ::mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base != MAP_FAILED) {
      base_ = static_cast<char*>(base);
      return;
    }
  }
  throw trouble(directory_, ENOMEM);
}

void* ScratchFile::allocate(std::size_t bytes) {
  const std::uint64_t size = up_to_multiple(bytes, kPage);
  const std::lock_guard lock(mutex_);
  if (extents_.end() + size > reserved_) throw trouble(directory_, EFBIG);
  const std::uint64_t place = extents_.take(size);
  try {
    map_until(place + size);
    take_disk(place, size);
  } catch (...) {
    extents_.give_back(place);
    throw;
  }
  return base_ + place;
}

void ScratchFile::map_until(std::uint64_t end) {
  const std::uint64_t mapped = mapped_;
  if (end <= mapped) return;
  const std::uint64_t grown = std::min<std::uint64_t>(up_to_multiple(end, kGrowth), reserved_);
  rlimit most{};  // beyond it is a signal
  if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && grown > most.rlim_cur) throw trouble(directory_, EFBIG);
  if (::ftruncate(file_, static_cast<off_t>(grown)) != 0) throw trouble(directory_, errno);
  void* const part = ::mmap(base_ + mapped, grown - mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                            file_, static_cast<off_t>(mapped));
  if (part == MAP_FAILED) throw trouble(directory_, errno);
  mapped_ = grown;
}

void ScratchFile::take_disk(std::uint64_t place, std::uint64_t bytes) {
  int error = EINTR;
  while (error == EINTR)
    error = ::posix_fallocate(file_, static_cast<off_t>(place), static_cast<off_t>(bytes));
  if (error != 0) throw trouble(directory_, error);
}

// What was in it need not be written to the disk any more, where the file system can do that.
void ScratchFile::free(void* block) {
  const auto place = static_cast<std::uint64_t>(static_cast<char*>(block) - base_);
  const std::lock_guard lock(mutex_);
  const std::uint64_t bytes = extents_.give_back(place);
  if (::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(place),
                  static_cast<off_t>(bytes)) != 0)
    ::madvise(base_ + place, bytes, MADV_DONTNEED);
}

bool ScratchFile::hand_back() {
  const std::uint64_t mapped = mapped_;
  if (hand_ >= mapped) {
    hand_ = 0;
    return false;
  }
  const std::uint64_t bytes = std::min(kHandedBack, mapped - hand_);
  ::madvise(base_ + hand_, bytes, MADV_DONTNEED);
  // Writing begins now, so that the kernel can take the memory when it wants it; not while pages are mapped: each
  // would be made known to all processors.
  ::sync_file_range(file_, static_cast<off_t>(hand_), static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE);
  hand_ += bytes;
  return true;
}

}  // namespace waitdiag
