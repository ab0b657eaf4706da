// A file of the archive as its writers see it: writing never fails for them. What could not be written is
// kept, in order, and tried once more when the file is closed: by then other ranks may have freed space on
//the disk.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "libwaitprof/trace_files/trace_file.hpp"

namespace waitprof::archive {

class ArchiveFile {
 public:
  // `chunk`: see TraceFile.
  ArchiveFile(std::string path, std::uint64_t chunk) : file_(std::move(path), chunk) {}

  bool create() noexcept { return file_.create(); }  // a new file; false: see errno
  // What does not fit now is tried again at the end.
  void write(const void* data, std::size_t bytes) noexcept;
  // Writes one chunk completely, or nothing of it for the reason in errno.
  bool append(const void* data, std::size_t bytes) noexcept;
  // False: the file is shorter than it should be, and incomplete_files() has counted it.
  bool close() noexcept;
  std::optional<schema::FileCheck> check() const noexcept { return file_.check(); }
  // Notes a failed write, for the reason in errno.
  void note_failure() const noexcept;

 private:
  void keep(const char* data, std::size_t bytes) noexcept;

  TraceFile file_;
  std::string pending_;
  bool lost_ = false;  // part of what is behind `pending_`
};

// The first failure: "No space left on device: /.../traces/0.evt"; "" if there is none.
std::string first_write_failure();

// The number of files that are shorter than they should be.
int incomplete_files() noexcept;

}  // namespace waitprof::archive
