// One line on stderr that shows the progress of a long step.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tools/waitdiag/command_line/terminal.hpp"

namespace waitdiag::tool {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::chrono::milliseconds kBetween{100};
constexpr const char* kEraseLine = "\r\x1b[K";

struct StepName {
  std::string_view step, words;
};

// Names of the stages as a user understands them; any other step is shown by its own name.
constexpr std::array<StepName, 5> kSteps{{{"match", "matching messages"},
                                          {"detect", "looking for waits"},
                                          {"slice", "finding synchronisation intervals"},
                                          {"compare", "comparing ranks"},
                                          {"attribute", "attributing waits to causes"}}};

std::string_view words_for(std::string_view step) {
  const auto* found =
      std::find_if(kSteps.begin(), kSteps.end(), [step](const StepName& name) { return name.step == step; });
  return found == kSteps.end() ? step : found->words;
}

bool hidden = false;  // set once, before any thread

bool terminal_can_erase() {
  const char* term = std::getenv("TERM");
  return is_terminal(STDERR_FILENO) && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

Progress::Progress(bool quiet)
    : enabled_(!quiet && !hidden && terminal_can_erase()), next_(Clock::now() + kPatience) {}

void Progress::hide_all() {
  hidden = true;
}

void Progress::show(std::string_view step, double fraction) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  visible_ = true;
  const std::string line = fmt::format("{}waitdiag: {} {:.0f} %", kEraseLine, words_for(step),
                                       100 * std::clamp(fraction, 0.0, 1.0));
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

void Progress::erase() {
  if (!visible_) return;
  visible_ = false;
  std::fputs(kEraseLine, stderr);
  std::fflush(stderr);
}

}  // namespace waitdiag::tool
