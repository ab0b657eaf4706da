// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace waitprof {

// Whether eight bytes can be read there: by a system call that reads them and then refuses.
inline bool can_be_read(std::uintptr_t place) noexcept {
  constexpr int kNoSuchOperation = -1;
  constexpr std::size_t kSignalSetBytes = 8;
  const int saved_errno = errno;
  syscall(SYS_rt_sigprocmask, kNoSuchOperation, place, nullptr, kSignalSetBytes);
  const bool readable = errno != EFAULT;
  errno = saved_errno;
  return readable;
}

}  // namespace waitprof
