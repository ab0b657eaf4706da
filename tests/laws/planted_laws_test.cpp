// The gain that the report states for a planted cause is the true one, in random programs of every shape
// (tests/support/planted/planted_programs.hpp), whether computation is instrumented or sampled.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/wording/verdict.hpp"
#include "tests/support/planted/planted_programs.hpp"

namespace waitdiag::test {
namespace {

constexpr double kGainWithin = 0.15;  // of the gain, or
constexpr double kRunWithin = 0.01;   // of the run time

// A gain that is a bound is never too small. Of samples, three standard errors are stated.
bool is_worth(const Report::Cause& cause, const PlantedTruth& truth, double runtime_s) {
  const double within = std::max({kGainWithin * (truth.seconds - runtime_s), kRunWithin * truth.seconds,
                                  cause.gain ? cause.gain->error_s : 0});
  const double too_much = cause.gain ? runtime_s - cause.gain->runtime_s : truth.seconds;
  return too_much >= -within && (too_much <= within || cause.gain->at_most);
}

Report report_of(const std::string& text) {
  Stages stages;
  return make_report(parse_text(text), {.replays = Replays::Never}, stages);
}

// How much longer than others ranks run that without the cause: by noise, for which others wait as well.
double longer_by_noise(const PlantedProgram& program) {
  const Report report = report_of(program.without);
  const auto same = std::ranges::find(report.causes, program.truth.call_path, &Report::Cause::call_path);
  return same == report.causes.end() ? 0 : same->excess_s;
}

// "Ran so much longer in total": no more than what was planted, and no less than the run gains without it.
bool is_longer(const Report::Cause& cause, const PlantedProgram& program) {
  const PlantedTruth& truth = program.truth;
  const double within = std::max(kGainWithin * truth.longer_s, cause.gain ? cause.gain->error_s : 0) +
                        kRunWithin * truth.seconds;
  if (cause.excess_s < truth.seconds - truth.runtime_s - within) return false;
  return cause.excess_s <= truth.longer_s + within ||
         cause.excess_s <= truth.longer_s + longer_by_noise(program) + within;
}

// Of each shape: half of the night's by day, and with sanitizers the way through the code, not the odds.
std::uint64_t programs_of(std::uint64_t by_night) {
#ifdef WAITPROF_SANITIZED
  return std::min<std::uint64_t>(by_night, 1);
#else
  return std::getenv("TEST_LARGE") != nullptr ? by_night : by_night / 2;
#endif
}

class PlantedLaws : public testing::TestWithParam<std::tuple<std::size_t, bool>> {};

// Samples are few, so by chance one in five may be off; of exact
// ones one in twenty, where nobody could tell: of a single slow rank among three, or of a sweep just begun.
TEST_P(PlantedLaws, ACauseIsWorthWhatTheRunWithoutItSaves) {
  const auto [shape, sampled] = GetParam();
  int wrong = 0, not_longer = 0;
  for (std::uint64_t seed = 1; seed <= programs_of(20); ++seed) {
    const PlantedProgram program = planted_program(kPlantedShapes[shape], seed, sampled);
    const Report report = report_of(program.text);
    if (program.truth.call_path.empty()) {
      wrong += verdict(report).sentence.find("caused by") != std::string::npos ? 1 : 0;
      continue;
    }
    ASSERT_FALSE(report.causes.empty());
    wrong += is_worth(report.causes.front(), program.truth, program.truth.runtime_s) ? 0 : 1;
    const bool determined = program.truth.alone && program.truth.second.empty();
    not_longer += determined && !is_longer(report.causes.front(), program) ? 1 : 0;
    const auto second = std::ranges::find(report.causes, program.truth.second, &Report::Cause::call_path);
    if (program.truth.second.empty() || second == report.causes.end()) continue;
    wrong += is_worth(*second, program.truth, program.truth.runtime_without_second_s) ? 0 : 1;
  }
  EXPECT_LE(wrong, 1);
  EXPECT_LE(not_longer, 1);
}

std::string planted_shape_name(const testing::TestParamInfo<PlantedLaws::ParamType>& info) {
  return std::string(kPlantedShapes[std::get<0>(info.param)]) +
         (std::get<1>(info.param) ? "Sampled" : "Exact");
}

INSTANTIATE_TEST_SUITE_P(Shapes, PlantedLaws,
                         testing::Combine(testing::Range<std::size_t>(0, std::size(kPlantedShapes)),
                                          testing::Bool()),
                         planted_shape_name);

#ifndef WAITPROF_SANITIZED
// Sure causes are right, probable ones mostly are; and nearly all causes that samples can show are sure.
TEST(CertaintyLaws, WhatIsSureIsRight) {
  constexpr std::uint64_t kFirst = 100;  // others than above
  std::map<std::string, std::pair<int, int>> right_of_said;
  int programs = 0;
  for (const std::string_view shape : kPlantedShapes) {
    for (std::uint64_t seed = kFirst; seed < kFirst + programs_of(8); ++seed) {
      const PlantedProgram program = planted_program(shape, seed, true);
      if (program.truth.call_path.empty()) continue;
      const Report report = report_of(program.text);
      ASSERT_FALSE(report.causes.empty());
      auto& [right, said] = right_of_said[report.causes.front().certainty.level];
      right += report.causes.front().call_path == program.truth.call_path ? 1 : 0;
      ++said;
      ++programs;
    }
  }
  const auto [sure_right, sure] = right_of_said["sure"];
  const auto [probable_right, probable] = right_of_said["probable"];
  EXPECT_LE(sure - sure_right, sure / 100);
  EXPECT_LE(probable - probable_right, std::max(1, probable / 10));
  EXPECT_GE(10 * sure, 9 * programs);
  EXPECT_LE(100 * right_of_said["open"].second, 3 * programs);
}

// The same where samples are few, or two causes weigh nearly the same: then "either A or B" names the right one, too.
TEST(CertaintyLaws, WhatIsOpenIsSaidToBe) {
  constexpr std::uint64_t kPrograms = 40, kFirst = 1000;  // of each shape
  std::map<std::string, std::pair<int, int>> right_of_said;
  for (const std::string_view shape : kUncertainShapes) {
    for (std::uint64_t seed = kFirst; seed < kFirst + kPrograms; ++seed) {
      const PlantedProgram program = planted_program(shape, seed, true);
      const Report report = report_of(program.text);
      ASSERT_FALSE(report.causes.empty());
      const Report::Cause& first = report.causes.front();
      auto& [right, said] = right_of_said[first.certainty.level];
      const bool either = first.certainty.level == "open" && first.certainty.rival == program.truth.call_path;
      right += first.call_path == program.truth.call_path || either ? 1 : 0;
      ++said;
    }
  }
  const auto [sure_right, sure] = right_of_said["sure"];
  const auto [probable_right, probable] = right_of_said["probable"];
  const auto [open_right, open] = right_of_said["open"];
  EXPECT_EQ(sure_right, sure);
  EXPECT_GE(10 * probable_right, 9 * probable);
  EXPECT_GE(10 * open_right, 9 * open);
  EXPECT_GE(probable, 8);  // else nothing would be tested here
  EXPECT_GE(open, 8);
}
#endif

}  // namespace
}  // namespace waitdiag::test
