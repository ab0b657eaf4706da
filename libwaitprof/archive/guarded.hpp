// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

#include "libwaitprof/record/recorder.hpp"

namespace waitprof::archive {

// Nothing thrown gets out. Not catch (...): that would stop a thread's cancellation.
template <typename Action>
bool guarded(const char* what, const Action& action) noexcept {
  try {
    return action();
  } catch (const std::exception& error) {
    give_up((std::string(what) + " failed (" + error.what() + ")").c_str());
    return false;
  }
}

}  // namespace waitprof::archive
