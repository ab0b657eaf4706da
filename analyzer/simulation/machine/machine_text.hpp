// A machine as the file that parse_machine() reads again.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/simulation/machine/machine.hpp"

namespace waitdiag {

// One line each, without the '#'.
struct MachineComments {
  std::vector<std::string> head{};
  std::vector<std::string> levels{};  // above each level; empty: none
};

// Six digits of every figure. rank_scales and call_path_scales are left out.
std::string machine_text(const Machine& machine, const MachineComments& comments);

}  // namespace waitdiag
