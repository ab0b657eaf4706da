// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/trace_files/otf2_files.hpp"

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "libwaitprof/trace_files/archive_file.hpp"

namespace waitprof::archive {
namespace {

char trace_directory[4096] = "";

bool below_trace_directory(const char* path) noexcept {
  const std::size_t length = std::strlen(trace_directory);
  return length > 0 && std::strncmp(path, trace_directory, length) == 0 && path[length] == '/';
}

ssize_t cookie_write(void* cookie, const char* data, std::size_t bytes) {
  static_cast<ArchiveFile*>(cookie)->write(data, bytes);
  return static_cast<ssize_t>(bytes);
}

int cookie_close(void* cookie) {
  const std::unique_ptr<ArchiveFile> file(static_cast<ArchiveFile*>(cookie));
  file->close();
  return 0;
}

FILE* open_redirected(const char* path) {
  std::unique_ptr<ArchiveFile> file(new (std::nothrow) ArchiveFile(path, 0));
  if (!file || !file->create()) {
    return nullptr;
  }
  const cookie_io_functions_t functions{nullptr, cookie_write, nullptr, cookie_close};
  FILE* stream = fopencookie(file.get(), "wb", functions);
  if (stream != nullptr) {
    std::setvbuf(stream, nullptr, _IONBF, 0);  // OTF2 hands over large pieces
    static_cast<void>(file.release());
  }
  return stream;
}

}  // namespace

void redirect_otf2_files(const std::string& directory) {
  std::snprintf(trace_directory, sizeof trace_directory, "%s", directory.c_str());
}

}  // namespace waitprof::archive

// The linker sends every fopen inside libwaitprof here; everything except OTF2's output is passed on to the C
// library (fopen64 is the same function there, under a name that is not wrapped).
extern "C" __attribute__((visibility("hidden"))) FILE* __wrap_fopen(const char* path,
                                                                    const char* mode);  // NOLINT
FILE* __wrap_fopen(const char* path, const char* mode) {                                // NOLINT
  using namespace waitprof::archive;
  const bool ours = std::strcmp(mode, "wb") == 0 && below_trace_directory(path);
  return ours ? open_redirected(path) : fopen64(path, mode);
}
