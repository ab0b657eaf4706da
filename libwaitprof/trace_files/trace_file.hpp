// One file of the archive. Three things stdio does not promise and a recorder in a foreign process needs: a
// full disk leaves whole chunks and no half record behind, a descriptor the application closed or reused is
// noticed before anything is written to it, and child processes do not inherit it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "libwaitprof/schema/file_checks.hpp"

namespace waitprof::archive {

class TraceFile {
 public:
  // `chunk`: bytes that make sense together; 0: only all bytes of an append do.
  TraceFile(std::string path, std::uint64_t chunk) : path_(std::move(path)), chunk_(chunk) {}
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile() { close(); }

  bool create() noexcept;  // a new file; false: see errno

  // Returns the bytes appended: all, or with errno set those of the chunks that fitted.
  std::size_t append(const char* data, std::size_t bytes) noexcept;

  // A file that never got a byte is removed: an empty anchor would promise an archive.
  bool close() noexcept;

  const std::string& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return size_; }

  // Its checksum, from when its bytes were at hand; empty if some were cut off again.
  std::optional<schema::FileCheck> check() const noexcept;

 private:
  bool own_descriptor() const noexcept;
  bool open(int flags) noexcept;
  void cut_to_whole_chunks(std::uint64_t written) noexcept;

  std::string path_;
  std::uint64_t chunk_;
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint64_t size_ = 0;
  schema::Crc32 crc_;
  bool is_cut_ = false;
};

namespace detail {
extern std::atomic<std::uint64_t> bytes_written;
}

// Bytes written to all files of this process.
inline std::uint64_t bytes_written() noexcept {
  return detail::bytes_written.load(std::memory_order_relaxed);
}

}  // namespace waitprof::archive
