// One line on stderr by one write(2), so that lines of several ranks do not mix.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/say.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace waitprof {

void say(const char* format, ...) noexcept {
  const int saved_errno = errno;
  char line[1024] = "libwaitprof: ";
  constexpr int kPrefix = sizeof("libwaitprof: ") - 1;
  std::va_list arguments;
  va_start(arguments, format);
  const int text = std::vsnprintf(line + kPrefix, sizeof line - kPrefix - 1, format, arguments);
  va_end(arguments);
  int length = std::min(kPrefix + std::max(text, 0), static_cast<int>(sizeof line) - 2);
  line[length++] = '\n';
  // If stderr itself is closed, there is no way to report that.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line, static_cast<std::size_t>(length));
  errno = saved_errno;
}

}  // namespace waitprof
