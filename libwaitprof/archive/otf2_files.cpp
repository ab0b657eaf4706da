// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/archive/otf2_files.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "libwaitprof/archive/otf2_session.hpp"
#include "libwaitprof/archive/trace_file.hpp"

namespace waitprof::archive {
namespace {

// Recording stops at the first failure; what OTF2 and the last events still bring fits in here by far.
constexpr std::size_t kMostPending = 64 * 1024 * 1024;

char trace_directory[4096] = "";
char first_failure[4608] = "";
std::atomic<bool> failure_noted = false, failure_readable = false;
std::atomic<int> incomplete = 0;

void note_failure(const TraceFile& file) noexcept {
  const int reason = errno;
  if (!failure_noted.exchange(true)) {
    std::snprintf(first_failure, sizeof first_failure, "%s: %s", std::strerror(reason), file.path().c_str());
    failure_readable = true;
  }
}

// Event files consist of chunks that can be read each for itself; the others are read from begin to end.
std::uint64_t chunk_of(std::string_view path) noexcept {
  return path.ends_with(".evt") ? kEventChunk : 0;
}

struct RedirectedFile {
  explicit RedirectedFile(const char* path) : file(path, chunk_of(path)) {}

  void write(const char* data, std::size_t bytes) noexcept {
    const std::size_t done = pending.empty() ? file.append(data, bytes) : 0;
    if (done < bytes) {
      note_failure(file);
      keep(data + done, bytes - done);
    }
  }

  void keep(const char* data, std::size_t bytes) noexcept {
    try {
      lost = lost || pending.size() + bytes > kMostPending;
      if (!lost) {
        pending.append(data, bytes);
      }
    } catch (const std::bad_alloc&) {
      lost = true;
    }
  }

  bool close() noexcept {
    const bool appended = pending.empty() || file.append(pending.data(), pending.size()) == pending.size();
    const bool closed = file.close();
    return appended && closed && !lost;
  }

  TraceFile file;
  std::string pending;
  bool lost = false;  // part of what is behind `pending`
};

bool below_trace_directory(const char* path) noexcept {
  const std::size_t length = std::strlen(trace_directory);
  return length > 0 && std::strncmp(path, trace_directory, length) == 0 && path[length] == '/';
}

ssize_t cookie_write(void* cookie, const char* data, std::size_t bytes) {
  static_cast<RedirectedFile*>(cookie)->write(data, bytes);
  return static_cast<ssize_t>(bytes);
}

int cookie_close(void* cookie) {
  const std::unique_ptr<RedirectedFile> redirected(static_cast<RedirectedFile*>(cookie));
  if (!redirected->close()) {
    note_failure(redirected->file);
    ++incomplete;
  }
  return 0;
}

FILE* open_redirected(const char* path) {
  std::unique_ptr<RedirectedFile> redirected(new (std::nothrow) RedirectedFile(path));
  if (!redirected || !redirected->file.create()) {
    return nullptr;
  }
  const cookie_io_functions_t functions{nullptr, cookie_write, nullptr, cookie_close};
  FILE* stream = fopencookie(redirected.get(), "wb", functions);
  if (stream != nullptr) {
    std::setvbuf(stream, nullptr, _IONBF, 0);  // OTF2 hands over large pieces
    static_cast<void>(redirected.release());
  }
  return stream;
}

}  // namespace

void redirect_otf2_files(const std::string& directory) {
  std::snprintf(trace_directory, sizeof trace_directory, "%s", directory.c_str());
}

bool any_write_failed() noexcept {
  return failure_noted;
}

std::string first_write_failure() {
  return failure_readable ? first_failure : "";
}

int incomplete_files() noexcept {
  return incomplete;
}

}  // namespace waitprof::archive

// The linker sends every fopen inside libwaitprof here; all but OTF2's output goes on to the C library
// (fopen64 is the same function there, under a name that is not wrapped).
extern "C" __attribute__((visibility("hidden"))) FILE* __wrap_fopen(const char* path,
                                                                    const char* mode);  // NOLINT
FILE* __wrap_fopen(const char* path, const char* mode) {                                // NOLINT
  using namespace waitprof::archive;
  const bool ours = std::strcmp(mode, "wb") == 0 && below_trace_directory(path);
  return ours ? open_redirected(path) : fopen64(path, mode);
}
