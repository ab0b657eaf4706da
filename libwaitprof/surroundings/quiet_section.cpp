// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/surroundings/quiet_section.hpp"

#include <pthread.h>

#include <cerrno>
#include <ctime>

namespace waitprof {
namespace {

// Signals raised by the code itself: blocking them would turn a handled fault into certain death.
constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};

bool file_size_signal_pending() noexcept {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

}  // namespace

QuietSection::QuietSection() noexcept : errno_(errno), file_size_signal_pending_(file_size_signal_pending()) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_);
  sigset_t all;
  sigfillset(&all);
  for (const int fault : kFaults) {
    sigdelset(&all, fault);
  }
  pthread_sigmask(SIG_BLOCK, &all, &mask_);
}

QuietSection::~QuietSection() {
  // A write beyond RLIMIT_FSIZE leaves SIGXFSZ pending on this thread: we caused it, so take it away.
  if (!file_size_signal_pending_ && file_size_signal_pending()) {
    sigset_t file_size;
    sigemptyset(&file_size);
    sigaddset(&file_size, SIGXFSZ);
    const timespec no_wait{};
    sigtimedwait(&file_size, nullptr, &no_wait);
  }
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  int ignored = 0;
  pthread_setcancelstate(cancel_state_, &ignored);
  errno = errno_;
}

}  // namespace waitprof
