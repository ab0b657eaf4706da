// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/trace_files/archive_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

namespace waitprof::archive {
namespace {

// Recording stops at the first failure; what the last events and OTF2 still write fits in here easily.
constexpr std::size_t kMostPending = 64 * 1024 * 1024;

char first_failure[4608] = "";
std::atomic<bool> failure_noted = false, failure_readable = false;
std::atomic<int> incomplete = 0;

}  // namespace

void ArchiveFile::note_failure() const noexcept {
  const int reason = errno;
  if (!failure_noted.exchange(true)) {
    std::snprintf(first_failure, sizeof first_failure, "%s: %s", std::strerror(reason), file_.path().c_str());
    failure_readable = true;
  }
}

void ArchiveFile::write(const void* data, std::size_t bytes) noexcept {
  const auto* const begin = static_cast<const char*>(data);
  const std::size_t done = pending_.empty() ? file_.append(begin, bytes) : 0;
  if (done < bytes) {
    note_failure();
    keep(begin + done, bytes - done);
  }
}

bool ArchiveFile::append(const void* data, std::size_t bytes) noexcept {
  const bool whole = file_.append(static_cast<const char*>(data), bytes) == bytes;
  if (!whole) {
    note_failure();
  }
  return whole;
}

void ArchiveFile::keep(const char* data, std::size_t bytes) noexcept {
  try {
    lost_ = lost_ || pending_.size() + bytes > kMostPending;
    if (!lost_) {
      pending_.append(data, bytes);
    }
  } catch (const std::bad_alloc&) {
    lost_ = true;
  }
}

bool ArchiveFile::close() noexcept {
  const bool appended = pending_.empty() || file_.append(pending_.data(), pending_.size()) == pending_.size();
  const bool closed = file_.close();
  const bool whole = appended && closed && !lost_;
  if (!whole) {
    note_failure();
    ++incomplete;
  }
  return whole;
}

std::string first_write_failure() {
  return failure_readable ? first_failure : "";
}

int incomplete_files() noexcept {
  return incomplete;
}

}  // namespace waitprof::archive
