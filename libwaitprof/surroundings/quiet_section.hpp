// While the recorder writes files in the application's thread: nothing the application set up may interfere,
// and nothing of ours may reach the application. Signals wait (a handler that jumps away would leave locks
// held; a file size limit must not kill the application), cancellation waits, errno is kept.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace waitprof {

class QuietSection {
 public:
  QuietSection() noexcept;
  ~QuietSection();
  QuietSection(const QuietSection&) = delete;
  QuietSection& operator=(const QuietSection&) = delete;

 private:
  int errno_;
  int cancel_state_ = 0;
  sigset_t mask_{};
  bool file_size_signal_pending_;
};

}  // namespace waitprof
