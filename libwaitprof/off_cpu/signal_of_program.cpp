// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/off_cpu/signal_of_program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "libwaitprof/surroundings/clock.hpp"
#include "libwaitprof/workers/tick.hpp"

namespace waitprof {
namespace {

constexpr std::int64_t kInSecond = 1'000'000'000;

timespec rest_of(const timespec& time, std::uint64_t waited) noexcept {
  const std::int64_t all = std::int64_t{time.tv_sec} * kInSecond + time.tv_nsec;
  const std::int64_t rest = std::max<std::int64_t>(all - static_cast<std::int64_t>(waited), 0);
  return {rest / kInSecond, rest % kInSecond};
}

}  // namespace

int signal_of_program(WaitForSignal* timedwait, const sigset_t* set, siginfo_t* what, const timespec* time) {
  siginfo_t received{};
  const std::uint64_t begin = now();
  int signal = timedwait(set, &received, time);
  while (signal > 0 && is_tick(received)) {
    const timespec rest = time != nullptr ? rest_of(*time, now() - begin) : timespec{};
    signal = timedwait(set, &received, time != nullptr ? &rest : nullptr);
  }
  if (signal > 0 && what != nullptr) {
    *what = received;
  }
  return signal;
}

int signal_of_program(WaitForSignal* timedwait, const sigset_t* set, int* which) {
  const int kept = errno;
  int signal = -1;
  do {
    signal = signal_of_program(timedwait, set, nullptr, nullptr);
  } while (signal < 0 && errno == EINTR);
  if (signal < 0) {
    return errno;
  }
  errno = kept;
  *which = signal;
  return 0;
}

}  // namespace waitprof
