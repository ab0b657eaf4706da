// Reads what the kernel says about itself in small files.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <span>

namespace waitprof {

// Reads the beginning of a file and appends a zero; returns the length, 0 if the file cannot be read. `text`
// is not empty.
inline std::size_t read_small_file(const char* path, std::span<char> text) noexcept {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t length = file >= 0 ? ::read(file, text.data(), text.size() - 1) : 0;
  if (file >= 0) {
    ::close(file);
  }
  const std::size_t read = length > 0 ? static_cast<std::size_t>(length) : 0;
  text[read] = '\0';
  return read;
}

}  // namespace waitprof
