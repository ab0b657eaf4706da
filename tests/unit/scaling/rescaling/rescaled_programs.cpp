// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "analyzer/scaling/rescaling/rescale.hpp"
#include "tests/unit/scaling/rescaling/grid_program.hpp"

namespace waitdiag::test {

std::string rescaled(const SmallProgram& program, const std::vector<int>& sizes, int target) {
  std::deque<Trace> traces;
  std::vector<SizedRun> runs;
  for (const int ranks : sizes) {
    traces.push_back(run_of(program, ranks));
    runs.push_back({{&traces.back(), "run-" + std::to_string(ranks)}, {.ranks = ranks}});
  }
  return text_of(Rescaler(runs, {.ranks = target}, {}).trace());
}

void expect_right(const SmallProgram& program, const std::vector<int>& sizes,
                  const std::vector<int>& targets) {
  for (const int target : targets)
    EXPECT_EQ(rescaled(program, sizes, target), text_of(run_of(program, target))) << target;
}

SmallProgram each_step(const SmallProgram& step) {
  constexpr int kSteps = 4;
  return [step](RankOfProgram& rank) {
    for (int i = 0; i < kSteps; ++i) step(rank);
  };
}

}  // namespace waitdiag::test
