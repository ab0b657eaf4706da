// Runs one program to its end.
//
// Signals: Ctrl-C and Ctrl-\ reach the program directly, since it shares our terminal; sending them on would
// count as a second Ctrl-C, at which Hydra kills the ranks at once. A signal that was sent to us alone is
// sent on.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/launching/child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "tools/waitdiag/command_line/errors.hpp"

namespace waitdiag::tool {
namespace {

constexpr std::array<int, 6> kForwarded{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
volatile pid_t child_process = 0;

void forward(int signal, siginfo_t* info, void*) {
  const bool sent_by_a_process = info->si_code <= 0;
  if (sent_by_a_process && child_process > 0) kill(child_process, signal);
}

// Forwards signals while it lives.
class Forwarding {
 public:
  Forwarding() {
    struct sigaction action {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < kForwarded.size(); ++i) sigaction(kForwarded[i], &action, &before_[i]);
  }
  ~Forwarding() {
    child_process = 0;
    restore();
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

  void restore() const {
    for (std::size_t i = 0; i < kForwarded.size(); ++i) sigaction(kForwarded[i], &before_[i], nullptr);
  }

 private:
  std::array<struct sigaction, kForwarded.size()> before_{};
};

// 0 if the program started: then the pipe is closed without a message.
int reported_error(int pipe_end) {
  int error = 0;
  while (read(pipe_end, &error, sizeof error) < 0 && errno == EINTR) {
  }
  close(pipe_end);
  return error;
}

}  // namespace

int become(const Launch& launch) {
  for (const auto& [name, value] : launch.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  arguments.reserve(launch.arguments.size() + 1);
  for (const std::string& argument : launch.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  return errno;
}

void cannot_start(const std::string& program, int error) {
  throw CannotStart("cannot start " + program + " (" + std::strerror(error) + "); check the name and PATH");
}

int run_child(const Launch& launch) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) cannot_start(launch.arguments.front(), errno);
  sigset_t everything, before;
  sigfillset(&everything);
  sigprocmask(SIG_SETMASK, &everything, &before);  // no signal between fork() and knowing the child
  const Forwarding forwarding;
  const pid_t child = fork();
  if (child == 0) {
    forwarding.restore();
    sigprocmask(SIG_SETMASK, &before, nullptr);
    const int error = become(launch);
    [[maybe_unused]] const auto written = write(ends[1], &error, sizeof error);
    _exit(kCannotStart);
  }
  const int fork_error = errno;
  child_process = child;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  const int error = child < 0 ? fork_error : reported_error(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (error != 0) cannot_start(launch.arguments.front(), error);
  constexpr int kSignalBase = 128;
  return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace waitdiag::tool
