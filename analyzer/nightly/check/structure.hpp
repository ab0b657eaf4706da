// What the program asked of MPI: counts, bytes and call sites, which do not depend on time and are compared
// exactly.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/results/check_result.hpp"

namespace waitdiag {

struct StructureComparison {
  std::vector<CheckResult::Structure> changed{};
  std::vector<std::string> not_compared{};  // allowed to change, or different between runs of one side
  std::uint64_t compared = 0;
};

// `allow`: names of figures, call paths or MPI functions, with * and ? as in a shell.
StructureComparison compare_structure(const std::vector<const Report*>& reference,
                                      const std::vector<const Report*>& today,
                                      const std::vector<std::string>& allow);

}  // namespace waitdiag
