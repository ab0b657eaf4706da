// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/trace_files/trace_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace waitprof::archive {
namespace {

// Above what most programs use, out of the way of those that expect the next descriptor to be the lowest. And below 64,
// from where on the kernel makes a larger table: a process with several threads waits for 10 to 20 ms then.
constexpr int kFirstDescriptor = 48;

}  // namespace

constinit std::atomic<std::uint64_t> detail::bytes_written{0};

bool TraceFile::create() noexcept {
  return open(O_CREAT | O_EXCL);
}

bool TraceFile::open(int flags) noexcept {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (descriptor < 0) {
    return false;
  }
  const int high = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstDescriptor);
  if (high >= 0) {
    ::close(descriptor);
  }
  descriptor_ = high >= 0 ? high : descriptor;
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) {
    return false;
  }
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  return true;
}

bool TraceFile::own_descriptor() const noexcept {
  struct stat facts {};
  return descriptor_ >= 0 && ::fstat(descriptor_, &facts) == 0 && facts.st_dev == device_ &&
         facts.st_ino == inode_;
}

std::size_t TraceFile::append(const char* data, std::size_t bytes) noexcept {
  // A lost descriptor is not closed: its number may be the application's file now.
  if (!own_descriptor() && !open(0)) {
    return 0;
  }
  const std::uint64_t before = size_;
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t written =
        ::pwrite(descriptor_, data + done, bytes - done, static_cast<off_t>(before + done));
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (written == 0 || errno != EINTR) {
      const int reason = written == 0 ? ENOSPC : errno;
      cut_to_whole_chunks(done);
      errno = reason;
      return size_ - before;
    }
  }
  size_ += done;
  crc_.add(reinterpret_cast<const unsigned char*>(data), done);
  detail::bytes_written.fetch_add(done, std::memory_order_relaxed);
  return done;
}

std::optional<schema::FileCheck> TraceFile::check() const noexcept {
  return is_cut_ ? std::nullopt : std::optional(schema::FileCheck{size_, crc_.value()});
}

void TraceFile::cut_to_whole_chunks(std::uint64_t written) noexcept {
  is_cut_ = true;
  if (chunk_ > 0) {
    size_ = std::max(size_, (size_ + written) / chunk_ * chunk_);
  }
  // If even that fails, readers find the last chunk damaged, without a reason.
  static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(size_)) == 0);
}

bool TraceFile::close() noexcept {
  const bool closed = !own_descriptor() || ::close(descriptor_) == 0;
  if (descriptor_ >= 0 && size_ == 0) {
    ::unlink(path_.c_str());
  }
  descriptor_ = -1;
  return closed;
}

}  // namespace waitprof::archive
