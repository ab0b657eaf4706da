// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/workers/thread_list.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "libwaitprof/surroundings/system_call.hpp"

namespace waitprof {
namespace {

constexpr char kThreads[] = "/proc/self/task";

// As getdents64(2) fills them in.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t bytes;
  std::uint8_t type;
  char name[1];
};

constinit char bytes_read[8192];  // not on the stack of the interrupted thread

int open_to_read(const char* path) noexcept {
  return static_cast<int>(system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
}

// 0: not a number.
pid_t number_in(const char* text) noexcept {
  pid_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = 10 * number + (*text - '0');
  return *text == '\0' ? number : 0;
}

// "/proc/self/task/<tid>/status"
struct StatusPath {
  char text[64] = {};

  explicit StatusPath(pid_t tid) noexcept {
    char digits[16];
    std::size_t count = 0;
    for (; tid > 0; tid /= 10) digits[count++] = static_cast<char>('0' + tid % 10);
    std::memcpy(text, kThreads, sizeof kThreads - 1);
    char* place = text + sizeof kThreads - 1;
    *place++ = '/';
    while (count > 0) *place++ = digits[--count];
    std::memcpy(place, "/status", sizeof "/status");
  }
};

std::uint64_t hexadecimal_in(const char* text) noexcept {
  std::uint64_t number = 0;
  for (;; ++text) {
    if (*text >= '0' && *text <= '9')
      number = number << 4 | static_cast<unsigned>(*text - '0');
    else if (*text >= 'a' && *text <= 'f')
      number = number << 4 | static_cast<unsigned>(*text - 'a' + 10);
    else
      return number;
  }
}

}  // namespace

// The link count of the directory is one for each thread, plus two of its own.
std::uint64_t number_of_threads() noexcept {
  struct stat directory {};
  const bool known = system_call(SYS_stat, kThreads, &directory) == 0 && directory.st_nlink > 2;
  return known ? directory.st_nlink - 2 : 0;
}

bool is_there(pid_t tid) noexcept {
  constexpr int kNoSignal = 0;
  return system_call(SYS_tgkill, system_call(SYS_getpid), tid, kNoSignal) == 0;
}

bool for_each_thread(void (*visit)(pid_t tid) noexcept) noexcept {
  const int directory = open_to_read(kThreads);
  if (directory < 0) return false;
  alignas(Entry) static constinit char entries[8192];
  long length = 0;
  while ((length = system_call(SYS_getdents64, directory, entries, sizeof entries)) > 0) {
    for (long place = 0; place < length;) {
      const auto* const entry = reinterpret_cast<const Entry*>(entries + place);
      if (const pid_t tid = number_in(entry->name); tid != 0) visit(tid);
      place += entry->bytes;
    }
  }
  system_call(SYS_close, directory);
  return length == 0;
}

bool blocks_signal(pid_t tid, int signal) noexcept {
  const int file = open_to_read(StatusPath(tid).text);
  if (file < 0) return true;
  const long length = system_call(SYS_read, file, bytes_read, sizeof bytes_read - 1);
  system_call(SYS_close, file);
  bytes_read[length > 0 ? length : 0] = '\0';
  constexpr char kBlocked[] = "\nSigBlk:\t";
  const char* const line = std::strstr(bytes_read, kBlocked);
  return line == nullptr || (hexadecimal_in(line + sizeof kBlocked - 1) >> (signal - 1) & 1) != 0;
}

bool blocks_signal_here(int signal) noexcept {
  std::uint64_t blocked = 0;
  const long read = system_call(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &blocked, sizeof blocked);
  return read != 0 || (blocked >> (signal - 1) & 1) != 0;
}

}  // namespace waitprof
