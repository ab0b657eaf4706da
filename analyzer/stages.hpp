// Gives each step of an analysis a name, a time and a place in a progress display. The steps stay free
// functions.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace waitdiag {

class Stages {
 public:
  struct Step {
    std::string name;
    double seconds = 0;
  };
  // `observer` is told when a step starts (fraction 0) and on progress inside it (0..1).
  using Observer = std::function<void(std::string_view step, double fraction)>;
  explicit Stages(Observer observer = {}) : observer_(std::move(observer)) {}

  template <typename Function>
  auto run(std::string_view name, Function&& function) {
    current_ = name;
    progress(0.0);
    const auto start = std::chrono::steady_clock::now();
    auto result = std::forward<Function>(function)();
    steps_.push_back(
        {std::string(name), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
    return result;
  }
  void progress(double fraction) const {
    if (observer_) observer_(current_, fraction);
  }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  Observer observer_;
  std::string current_;
  std::vector<Step> steps_;
};

}  // namespace waitdiag
