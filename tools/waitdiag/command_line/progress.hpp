// One line on stderr that shows the progress of a long step: only on a terminal, only after a second, updated
// at most ten times a second, and erased when the work is done.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string_view>

#include "analyzer/stages.hpp"

namespace waitdiag::tool {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress() { erase(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // From now on no progress is shown, whatever command runs.
  static void hide_all();

  void show(std::string_view step, double fraction);  // fraction 0..1
  void erase();
  // Stages that are shown here, which must outlive them.
  Stages stages() {
    return Stages([this](std::string_view step, double fraction) { show(step, fraction); });
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool visible_ = false;
  Clock::time_point next_;
};

}  // namespace waitdiag::tool
