// One line of `waitdiag doctor`: something that was looked at, how it is, and what to do about it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waitdiag::tool {

enum class Grade : std::uint8_t {
  Ok,
  Note,    // recording works, but less well than it could, or in a way worth knowing
  Problem  // recording does not work
};

struct Finding {
  Grade grade;
  const char* subject;  // "clock"
  std::string text;     // what is, and, unless all is well, what to do: one line
};
using Findings = std::vector<Finding>;

}  // namespace waitdiag::tool
