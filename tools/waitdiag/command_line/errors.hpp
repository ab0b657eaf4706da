// The exit statuses, and our own exceptions that lead to them. Any other exception means unusable input.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace waitdiag::tool {

// Exit statuses, as shells, `env` and `timeout` use them.
constexpr int kSuccess = 0;
constexpr int kSlower = 1;  // `compare` only on request; `check`: regression, changed, or failed
constexpr int kNotFit = 1;  // `doctor`: recording does not work
constexpr int kUsageError = 2;
constexpr int kUnusableInput = 3;
constexpr int kInconclusive = 4;  // `check --strict`
constexpr int kCannotStart = 125;

// The command line is wrong: printed as one line with a pointer to --help, exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `run`, `exec`, `doctor` or `check` could not start the program: one line, exit status 125.
class CannotStart : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace waitdiag::tool
