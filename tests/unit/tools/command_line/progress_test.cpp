// The progress line on a pseudo-terminal in place of stderr: silent at first, then one line, then gone.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/progress.hpp"

#include <gmock/gmock.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

namespace waitdiag::tool {
namespace {

class OnTerminal : public ::testing::Test {
 protected:
  OnTerminal() : stderr_(dup(STDERR_FILENO)) {
    int terminal = -1;
    if (openpty(&reader_, &terminal, nullptr, nullptr, nullptr) != 0) return;
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    setenv("TERM", "xterm", 1);
  }
  ~OnTerminal() override {
    restore();
    close(reader_);
  }
  // The output so far; restores stderr, so that the terminal ends. The output may arrive in pieces.
  std::string shown() {
    restore();
    std::string all;
    std::array<char, 4096> text{};
    for (ssize_t length = 0; (length = read(reader_, text.data(), text.size())) > 0;)
      all.append(text.data(), static_cast<std::size_t>(length));
    return all;
  }
  void restore() {
    if (stderr_ < 0) return;
    dup2(stderr_, STDERR_FILENO);
    close(stderr_);
    stderr_ = -1;
  }

  int reader_ = -1, stderr_;
};

TEST_F(OnTerminal, ProgressWaitsASecondAndErasesItself) {
  {
    Progress progress(false);
    progress.show("match", 0.1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1050));
    progress.show("match", 0.5);
    progress.show("match", 0.6);  // too soon after the last one, unless the machine is busy
  }
  EXPECT_THAT(shown(), testing::AllOf(testing::StartsWith("\r\x1b[Kwaitdiag: matching messages 50 %"),
                                      testing::EndsWith("0 %\r\x1b[K")));
}

TEST_F(OnTerminal, QuietProgressShowsNothing) {
  Progress progress(true);
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  progress.show("match", 0.5);
  EXPECT_EQ(shown(), "");
}

}  // namespace
}  // namespace waitdiag::tool
