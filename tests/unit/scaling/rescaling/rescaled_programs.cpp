// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <regex>

#include "analyzer/scaling/rescaling/rescale.hpp"
#include "tests/unit/scaling/rescaling/grid_program.hpp"

namespace waitdiag::test {

namespace {

// Without what may differ: communicators are numbered in the order in which they are met, and how often a region
// is entered in one gap is a mean.
std::string comparable(const std::string& text) {
  static const std::regex kDefinition("(^|\n)comm [^\n]*"), kName(" comm (some|\"some[^\"]*\")"),
      kVisits(" visits [0-9]+");
  return std::regex_replace(std::regex_replace(std::regex_replace(text, kDefinition, ""), kName, " in some"),
                            kVisits, "");
}

}  // namespace

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
    EXPECT_EQ(comparable(rescaled(program, sizes, target)), comparable(text_of(run_of(program, target))))
        << target;
}

SmallProgram each_step(const SmallProgram& step) {
  constexpr int kSteps = 4;
  return [step](RankOfProgram& rank) {
    for (int i = 0; i < kSteps; ++i) step(rank);
  };
}

}  // namespace waitdiag::test
