// Which calls end the time steps of a program.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/steps/steps.hpp"

#include <gtest/gtest.h>

#include "analyzer/diagnosis/steps/step_matrix.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// The lines of a rank that makes the given calls, of one nanosecond each, after one of computation.
class Calls {
 public:
  Calls& operator()(const std::string& call, const std::string& clauses = "") {
    text_ += std::to_string(now_ + 1) + ".." + std::to_string(now_ + 2) + " " + call + " " + clauses + "\n";
    now_ += 2;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int now_ = 0;
};

Steps steps_of(const Calls& rank0, const Calls& rank1) {
  return find_steps(parse_text("rank 0\n" + rank0.text() + "rank 1\n" + rank1.text()));
}

std::vector<std::uint32_t> step_of_gaps(const Steps& steps, const Trace& trace) {
  std::vector<std::uint32_t> result;
  steps.for_each_part(trace, Location(0),
                      [&](const GapPart&, std::uint32_t step) { result.push_back(step); });
  return result;
}

TEST(Steps, TheOutermostLoopIsTheOneOfTheSteps) {
  Calls calls;
  calls("MPI_Init");
  for (int step = 0; step < 4; ++step) {
    for (int iteration = 0; iteration < 5; ++iteration) calls("main/step/solve/MPI_Allreduce", "bytes 8");
    calls("main/step/MPI_Barrier");
  }
  calls("MPI_Finalize");
  EXPECT_EQ(steps_of(calls, calls).count(), 4u);
  EXPECT_EQ(steps_of(calls, calls).source(), StepSource::Communication);
}

// Rank 1 did not record step 20; both were paused in step 22, and resumed in it.
TEST(Steps, ThatAreMarkedKeepTheirNumbers) {
  const Trace trace = parse_text(
      "rank 0\n step 0 number 20\n 0..10 solve\n step 10\n 10..20 solve\n step 20 number 22\n 20..25 solve\n"
      "step 25 number 22\n 25..30 solve\n rank 1\n step 10 number 21\n 10..20 solve\n step 20\n 20..30 "
      "solve\n");
  const Steps steps = find_steps(trace);
  ASSERT_EQ(steps.count(), 3u);
  EXPECT_EQ(steps.number(0), 20u);
  EXPECT_EQ(steps.number(2), 22u);
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(steps.number_ranges(), (Ranges{{20, 22}}));
  for (const Location location : {Location(0), Location(1)}) {
    std::vector<Duration> lengths(3);
    steps.for_each_part(trace, location, [&](const GapPart& part, std::uint32_t step) {
      if (step != Steps::kOutside) lengths[step] += part.length();
    });
    const Duration first(location == Location(0) ? 10 : 0);
    EXPECT_EQ(lengths, (std::vector{first, Duration(10), Duration(10)}));
  }
}

TEST(Steps, FromZeroOnNeedNoNumbers) {
  const Trace trace = parse_text("rank 0\n step 0\n 0..10 solve\n step 10 number 1\n 10..20 solve\n");
  EXPECT_TRUE(find_steps(trace).number_ranges().empty());
}

TEST(Steps, OccasionalOutputIsNoStep) {
  Calls calls;
  for (int step = 0; step < 20; ++step) {
    calls("main/step/MPI_Barrier")("main/step/MPI_Allreduce", "bytes 8");
    if (step % 5 == 4) calls("main/output/MPI_Gather", "root 0 bytes 8");
  }
  EXPECT_EQ(steps_of(calls, calls).count(), 20u);
}

TEST(Steps, OutputEveryThirdTimeIsNoStepEither) {
  Calls calls;
  for (int step = 0; step < 10; ++step) {
    calls("main/step/MPI_Barrier");
    if (step % 3 == 2) calls("main/output/MPI_Gather", "root 0 bytes 8");
  }
  EXPECT_EQ(steps_of(calls, calls).count(), 10u);
}

TEST(Steps, ALoopInsideIsNotTakenForTheStepsThatItEnds) {
  Calls calls;
  for (int step = 0; step < 10; ++step) {
    for (int stage = 0; stage < 4; ++stage) calls("main/stage/MPI_Barrier");
    calls("main/dt/MPI_Allreduce", "bytes 8");
  }
  EXPECT_EQ(steps_of(calls, calls).count(), 10u);
}

TEST(Steps, SetUpIsNoLoop) {
  Calls calls;
  for (int i = 0; i < 6; ++i) calls("main/read/MPI_Bcast", "root 0 bytes 8");
  for (int i = 0; i < 30; ++i) calls("main/MPI_Comm_rank");
  EXPECT_EQ(steps_of(calls, calls).count(), 0u);
}

TEST(Steps, RanksMayCallDifferentFunctions) {
  Calls sender, receiver;
  for (int step = 0; step < 3; ++step) {
    sender("main/produce/MPI_Send", "to 1");
    receiver("main/consume/MPI_Recv", "from 0");
  }
  EXPECT_EQ(steps_of(sender, receiver).count(), 3u);
}

TEST(Steps, AStepEndsWithTheLastCallOfTheLoop) {
  Calls calls;
  calls("MPI_Init");
  for (int step = 0; step < 3; ++step) calls("MPI_Barrier")("MPI_Allreduce", "bytes 8");
  calls("MPI_Finalize");
  const Trace trace = parse_text("rank 0\n" + calls.text());
  const std::uint32_t no = Steps::kOutside;
  EXPECT_EQ(step_of_gaps(find_steps(trace), trace),
            (std::vector<std::uint32_t>{no, 0, 0, 1, 1, 2, 2, no, no}));
}

// The 10 before the second call are divided at 4: the execution belongs to the step in which it began.
TEST(Steps, AMarkDividesComputation) {
  const Trace trace = parse_text(
      "rank 0\n step 0\n 0..10 solve\n 10..11 MPI_Barrier\n step 15\n 11..21 solve\n 21..22 MPI_Barrier\n");
  const Steps steps = find_steps(trace);
  EXPECT_EQ(steps.source(), StepSource::Marks);
  EXPECT_EQ(step_of_gaps(steps, trace), (std::vector<std::uint32_t>{0, 0, 1, 1}));
  const Activities activities(trace);
  const std::vector<CallPathId> solve{CallPathId(0)};
  const auto spread = spread_over_steps(trace, detect(trace, match(trace), {}), activities, steps, solve, {});
  EXPECT_EQ(spread[0].overview.time, (std::vector<double>{14, 6}));
  EXPECT_EQ(spread[0].overview.visits, (std::vector<double>{2, 0}));
}

// Ten samples of main/f before the mark, and as many of main/g after it, in gaps of 100; in the last gap
// samples do not decide: it is divided like the others.
TEST(Steps, AMarkDividesSamples) {
  std::string text = "rank 0\n step 0\n";
  for (int begin = 0; begin < 300; begin += 100) {
    const auto at = [&](int time) { return std::to_string(begin + time); };
    const bool sampled = begin < 200;
    text += at(0) + ".." + at(1) + " MPI_Barrier\n";
    text += at(1) + ".." + at(41) + (sampled ? " samples main/f:4\n" : " -\n") + "step " + at(41) + "\n";
    text += at(41) + ".." + at(100) + (sampled ? " samples main/g:6\n" : " -\n");
  }
  const Trace trace = parse_text(text + "300..301 MPI_Barrier\n");
  const Activities activities(trace);
  std::vector<CallPathId> paths;
  for (std::uint32_t path = 0; path < trace.call_paths().size(); ++path)
    if (const std::string name = trace.call_path_name(CallPathId(path)); name == "main/f" || name == "main/g")
      paths.push_back(CallPathId(path));
  const auto spread =
      spread_over_steps(trace, detect(trace, match(trace), {}), activities, find_steps(trace), paths, {});
  ASSERT_EQ(spread.size(), 2u);
  EXPECT_EQ(spread[0].overview.time, (std::vector<double>{40, 40, 40, 0}));
  EXPECT_EQ(spread[1].overview.time, (std::vector<double>{0, 59, 59, 59}));
}

TEST(Steps, RanksAtTheEdgeHaveFewerNeighbours) {
  Calls edge, middle;
  for (int step = 0; step < 5; ++step) {
    edge("main/exchange/MPI_Sendrecv", "to 1 from 1");
    middle("main/exchange/MPI_Sendrecv", "to 0 from 0")("main/exchange/MPI_Sendrecv", "to 0 from 0");
  }
  EXPECT_EQ(steps_of(edge, middle).count(), 5u);
  const Trace trace = parse_text("rank 0\n" + middle.text() + "rank 1\n" + edge.text());
  const auto steps = step_of_gaps(find_steps(trace), trace);
  EXPECT_EQ(steps, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, Steps::kOutside}));
}

// A solver between bursts of calls to this many neighbours; 10 bursts.
Calls bursts_of(int neighbours, int to) {
  const std::string other = std::to_string(to);
  Calls calls;
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < 10; ++i) calls("work");
    for (int i = 0; i < neighbours; ++i) calls("main/MPI_Sendrecv", "to " + other + " from " + other);
  }
  return calls;
}

TEST(Steps, RanksMayAllHaveSeveralNeighbours) {
  EXPECT_EQ(steps_of(bursts_of(3, 1), bursts_of(3, 0)).count(), 10u);
  EXPECT_EQ(steps_of(bursts_of(2, 1), bursts_of(3, 0)).count(), 10u);
}

TEST(Steps, BurstsMustBeOfEquallyManyCalls) {
  Calls calls;
  for (int step = 0; step < 30; ++step) {
    for (int i = 0; i < 1 + step % 3; ++i) calls("main/MPI_Allreduce", "bytes 8");
    for (int i = 0; i < 20; ++i) calls("work");
  }
  EXPECT_EQ(steps_of(calls, calls).count(), 0u);
}

TEST(Steps, OneRankInBurstsIsNoStep) {
  Calls calls;
  for (int i = 0; i < 30; ++i) {
    calls("main/MPI_Sendrecv", "to 0 from 0");
    for (int more = 0; more < i * i % 7; ++more) calls("work");
  }
  EXPECT_EQ(steps_of(bursts_of(3, 1), calls).count(), 0u);
}

}  // namespace
}  // namespace waitdiag
