// The input is unusable: thrown once, caught in tools/waitdiag/main.cpp only, printed as one line, exit
// status 3.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace waitdiag {

// The text says what happened, where, the likely reason, and what to do.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace waitdiag
