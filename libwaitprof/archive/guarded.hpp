// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <exception>

#include "libwaitprof/buffer/recorder.hpp"

namespace waitprof::archive {

// No exception gets out, and handling one does not throw again when there is no memory. Not catch (...): that
// would stop a thread's cancellation.
template <typename Action>
bool guarded(const char* what, const Action& action) noexcept {
  try {
    return action();
  } catch (const std::exception& error) {
    char text[256];
    std::snprintf(text, sizeof text, "%s failed (%s)", what, error.what());
    give_up(text);
    return false;
  }
}

}  // namespace waitprof::archive
