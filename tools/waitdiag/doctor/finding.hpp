// One line of `waitdiag doctor`: something that was checked, its state, and what to do about it.
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
  std::string text;     // one line: the state and, unless all is well, what to do
};
using Findings = std::vector<Finding>;

}  // namespace waitdiag::tool
