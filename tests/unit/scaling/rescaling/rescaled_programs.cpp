// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/scaling/rescaling/rescaled_programs.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <regex>

#include "analyzer/scaling/rescaling/rescale.hpp"
#include "analyzer/trace/model/joined_calls.hpp"
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

// Calls with their messages, and how long ranks compute between them; not when, nor how long calls take.
std::string without_calls_times(const std::string& text) {
  static const std::regex kWork("([0-9]+)\\.\\.([0-9]+)  work"), kTimes("[0-9]+\\.\\.[0-9]+  MPI"),
      kAt(" at [0-9]+");
  std::string result;
  std::size_t from = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), kWork), end; at != end; ++at) {
    const auto begin = static_cast<std::size_t>(at->position());
    result += text.substr(from, begin - from) + std::to_string(std::stoll((*at)[2]) - std::stoll((*at)[1])) +
              " of work";
    from = begin + static_cast<std::size_t>(at->length());
  }
  result += text.substr(from);
  return std::regex_replace(std::regex_replace(result, kTimes, "MPI"), kAt, "");
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

void expect_right_if_joined(const SmallProgram& program, const std::vector<int>& sizes,
                            const std::vector<int>& targets) {
  for (const int target : targets)
    EXPECT_EQ(without_calls_times(comparable(rescaled(program, sizes, target))),
              without_calls_times(comparable(text_of(join_requests(run_of(program, target))))))
        << target;
}

SmallProgram each_step(const SmallProgram& step) {
  constexpr int kSteps = 4;
  return [step](RankOfProgram& rank) {
    for (int i = 0; i < kSteps; ++i) step(rank);
  };
}

}  // namespace waitdiag::test
