// Gives each step of an analysis a name, a time and a place in a progress display. The steps stay free
// functions.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
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
    if constexpr (std::is_void_v<std::invoke_result_t<Function>>) {
      std::forward<Function>(function)();
      finish(start);
    } else {
      auto result = std::forward<Function>(function)();
      finish(start);
      return result;
    }
  }
  void progress(double fraction) const {
    if (observer_) observer_(current_, fraction);
  }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  void finish(std::chrono::steady_clock::time_point start) {
    steps_.push_back(
        {current_, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
  }

  Observer observer_;
  std::string current_;
  std::vector<Step> steps_;
};

}  // namespace waitdiag
