// Small programs, run with several numbers of ranks and rescaled to another one.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tests/unit/scaling/rescaling/small_programs.hpp"

namespace waitdiag::test {

// The trace that the rescaled run leaves, as text.
std::string rescaled(const SmallProgram& program, const std::vector<int>& sizes, int target);

// It is that of the program itself.
void expect_right(const SmallProgram& program, const std::vector<int>& sizes = {4, 8, 16},
                  const std::vector<int>& targets = {16, 32, 64});

// It makes the calls of the program itself, with requests that are posted together as one call, and computes as long.
void expect_right_if_joined(const SmallProgram& program, const std::vector<int>& sizes = {4, 8, 16},
                            const std::vector<int>& targets = {16, 32, 64});

// A few steps of it.
SmallProgram each_step(const SmallProgram& step);

}  // namespace waitdiag::test
