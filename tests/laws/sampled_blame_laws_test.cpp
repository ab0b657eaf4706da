// Blame where only samples show what ran: all ranks do the same except for one function of one rank. Whatever
// else lies in the same stretch between two MPI calls, or between calls of the same call path, the waiting
// must be blamed on that function, and the run without it takes as long as the report says.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/summary/make_report.hpp"

namespace waitdiag::test {
namespace {

constexpr int kSampledRanks = 4, kMsPerSample = 10;

// Milliseconds. Samples are taken at fixed intervals of computation, at other instants on each rank.
class SampledRun {
 public:
  void work(int rank, const char* function, int time) {
    for (int end = computed_[rank] + time; computed_[rank] < end;) {
      const int next =
          std::min(end, (computed_[rank] + rank * 3) / kMsPerSample * kMsPerSample + kMsPerSample - rank * 3);
      computed_[rank] = next;
      if ((next + rank * 3) % kMsPerSample == 0) ++samples_[rank][function];
    }
    now_[rank] += time;
  }
  void everybody_meets() {
    const int until = *std::max_element(now_.begin(), now_.end()) + 1;
    for (int rank = 0; rank < kSampledRanks; ++rank) {
      std::string samples;
      for (const auto& [function, count] : samples_[rank])
        samples += " main/" + function + ":" + std::to_string(count);
      line(rank, left_[rank], now_[rank], samples.empty() ? "-" : "samples" + samples);
      line(rank, now_[rank], until, "main/MPI_Allreduce bytes 8");
      samples_[rank].clear();
      left_[rank] = now_[rank] = until;
    }
  }

  Report report() const {
    std::string text = "unit ms\n";
    for (int rank = 0; rank < kSampledRanks; ++rank)
      text += "rank " + std::to_string(rank) + "\n" + lines_[rank];
    Stages stages;
    return make_report(parse_text(text), {.replays = Replays::Never}, stages);
  }
  double seconds() const { return 1e-3 * now_[0]; }

 private:
  void line(int rank, int begin, int end, const std::string& what) {
    if (begin < end) lines_[rank] += std::to_string(begin) + ".." + std::to_string(end) + " " + what + "\n";
  }

  std::array<int, kSampledRanks> now_{}, left_{}, computed_{};
  std::array<std::map<std::string, int>, kSampledRanks> samples_;
  std::array<std::string, kSampledRanks> lines_;
};

struct SampledProgram {
  const char* name;
  std::function<void(SampledRun&, int more)> run;  // `more` milliseconds of more() where it is at fault
};

void solve_and_sometimes_more(SampledRun& run, int more, int every) {
  for (int step = 0; step < 200; ++step) {
    for (int rank = 0; rank < kSampledRanks; ++rank) run.work(rank, "solve", 30);
    if (step % every == every - 1) run.work(1, "more", more);
    run.everybody_meets();
  }
}

const std::vector<SampledProgram>& sampled_programs() {
  static const std::vector<SampledProgram> all{
      {"InEveryTenthStep", [](SampledRun& run, int more) { solve_and_sometimes_more(run, more, 10); }},
      {"InThreeStepsOfTheRun", [](SampledRun& run, int more) { solve_and_sometimes_more(run, more, 60); }},
      {"RanksTakeTurns",
       [](SampledRun& run, int more) {
         for (int step = 0; step < 200; ++step) {
           for (int rank = 0; rank < kSampledRanks; ++rank) run.work(rank, "solve", 20);
           run.work(step % kSampledRanks, "more", more);
           run.everybody_meets();
         }
       }},
      {"OneOfFourPhases",
       [](SampledRun& run, int more) {
         for (int step = 0; step < 100; ++step) {
           for (const char* phase : {"advect", "diffuse", "more", "radiate"}) {
             for (int rank = 0; rank < kSampledRanks; ++rank) {
               run.work(rank, phase, 20);
               if (rank == 2 && std::string(phase) == "more") run.work(rank, phase, more);
             }
             run.everybody_meets();
           }
         }
       }},
      {"OneOfThreeShortPhases",
       [](SampledRun& run, int more) {
         for (int step = 0; step < 200; ++step) {
           for (const char* phase : {"predict", "more", "correct"}) {
             for (int rank = 0; rank < kSampledRanks; ++rank) {
               run.work(rank, phase, 7);
               if (rank == 3 && std::string(phase) == "more") run.work(rank, phase, more / 8);
             }
             run.everybody_meets();
           }
         }
       }},
  };
  return all;
}

class SampledBlameLaws : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(SampledBlameLaws, TheOneAtFaultIsBlamedAndItsRepairIsWorthThat) {
  const auto& [which, more] = GetParam();
  SampledRun run, repaired;
  sampled_programs()[which].run(run, more);
  sampled_programs()[which].run(repaired, 0);
  const Report report = run.report();
  ASSERT_FALSE(report.causes.empty());
  const Report::Cause& first = report.causes.front();
  EXPECT_EQ(first.call_path, "main/more");
  EXPECT_GE(first.waiting_s, 0.95 * report.time.waiting_s);
  ASSERT_TRUE(first.gain);
  EXPECT_NEAR(first.gain->runtime_s, repaired.seconds(), 0.1 * repaired.seconds());
}

std::string sampled_program_name(const testing::TestParamInfo<SampledBlameLaws::ParamType>& info) {
  return sampled_programs()[std::get<0>(info.param)].name + ("Of" + std::to_string(std::get<1>(info.param))) +
         "Ms";
}

INSTANTIATE_TEST_SUITE_P(Programs, SampledBlameLaws,
                         testing::Combine(testing::Range(0, static_cast<int>(sampled_programs().size())),
                                          testing::Values(50, 150)),
                         sampled_program_name);

}  // namespace
}  // namespace waitdiag::test
