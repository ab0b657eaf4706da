// The program gets a process group of its own, so that all of it can be ended. SIGTERM is the signal that
// Hydra and srun pass on to ranks on other nodes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/timed_child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>

#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/launching/child.hpp"

namespace waitdiag::tool {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kGrace(5);  // between asking a program to end and ending it

// While it lives, SIGCHLD and the signals that end us stay pending until next() asks for them.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&held_, signal);
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { restore(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  // The next signal; 0 if there is none until `deadline`.
  int next(Clock::time_point deadline) const {
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
    constexpr long kSecond = 1'000'000'000;
    const timespec wait{left > 0 ? left / kSecond : 0, left > 0 ? left % kSecond : 0};
    const int signal = sigtimedwait(&held_, nullptr, &wait);
    return signal > 0 ? signal : 0;
  }

 private:
  sigset_t held_{}, before_{};
};

void redirect(const char* file, int flags, int descriptor) {
  constexpr mode_t kMode = 0600;
  const int opened = open(file, flags | O_CLOEXEC, kMode);
  if (opened >= 0) dup2(opened, descriptor);
}

[[noreturn]] void be_child(const Launch& launch, const std::string& messages, int pipe_end) {
  setpgid(0, 0);
  if (isatty(STDIN_FILENO) != 0) redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect("/dev/null", O_WRONLY, STDOUT_FILENO);
  redirect(messages.c_str(), O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
  const int error = become(launch);
  [[maybe_unused]] const auto written = write(pipe_end, &error, sizeof error);
  _exit(kCannotStart);
}

// Waits for the child, or until the deadline; false: it still runs. `told`: a signal that told us to end.
bool wait_until(pid_t child, Clock::time_point deadline, const HeldSignals& signals, int& status, int& told) {
  for (;;) {
    if (waitpid(child, &status, WNOHANG) == child) return true;
    const int signal = signals.next(deadline);
    if (signal != 0 && signal != SIGCHLD) told = signal;
    if (told != 0 || (signal == 0 && Clock::now() >= deadline))
      return waitpid(child, &status, WNOHANG) == child;
  }
}

void end_group(pid_t child, const HeldSignals& signals, int& status) {
  int ignored = 0;
  kill(-child, SIGTERM);
  if (wait_until(child, Clock::now() + kGrace, signals, status, ignored)) {
    kill(-child, SIGKILL);  // processes that the launcher left behind
    return;
  }
  kill(-child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

TimedEnd run_for(const Launch& launch, unsigned seconds, const std::string& messages) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) cannot_start(launch.arguments.front(), errno);
  int status = 0, error = 0;
  TimedEnd end;
  {
    const HeldSignals signals;
    const pid_t child = fork();
    if (child == 0) {
      signals.restore();
      be_child(launch, messages, ends[1]);
    }
    if (child < 0) cannot_start(launch.arguments.front(), errno);
    close(ends[1]);
    end.stopped = !wait_until(child, Clock::now() + std::chrono::seconds(seconds), signals, status, end.told);
    if (end.stopped) end_group(child, signals, status);
    if (read(ends[0], &error, sizeof error) != sizeof error) error = 0;
    close(ends[0]);
  }
  if (error != 0) cannot_start(launch.arguments.front(), error);
  constexpr int kSignalBase = 128;
  end.status = WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

}  // namespace waitdiag::tool
