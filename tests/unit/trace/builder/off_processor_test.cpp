// Time off the processor is not counted as computation, and belongs to the function in which it was spent.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "tests/unit/trace/builder/trace_builder_fixture.hpp"

namespace waitdiag {
namespace {

using ::testing::UnorderedElementsAre;

class OffProcessorTest : public TraceBuilderTest {
 protected:
  void off(std::int64_t begin, std::int64_t end, OffReason reason = OffReason::Blocked) {
    builder.off_processor(here, at(end), Duration(end - begin), reason, 0);
  }
  void sum(std::int64_t time, std::int64_t length, std::uint64_t turns, OffReason reason) {
    builder.off_processor(here, at(time), Duration(length), reason, turns);
  }
  RegionId named(const std::string& name) {
    const auto [known, is_new] = regions_.try_emplace(name);
    if (is_new) known->second = builder.region({.name = name});
    return known->second;
  }
  CallPathId path(std::initializer_list<const char*> names) {
    CallPathId made = kNoCallPath;
    for (const char* name : names) made = builder.call_path(made, named(name));
    return made;
  }
  void call_from(std::int64_t enter, std::int64_t leave, const char* function, CallPathId caller) {
    const RegionId id = named(function);
    builder.enter(here, at(enter), id, caller);
    builder.leave(here, at(leave), id);
  }

 private:
  std::map<std::string, RegionId> regions_;
};

TEST_F(OffProcessorTest, IsNoComputation) {
  call_from(0, 10, "MPI_Barrier", path({"main", "step"}));
  off(30, 50);
  off(60, 65, OffReason::Preempted);
  call_from(100, 110, "MPI_Barrier", path({"main", "step"}));
  EXPECT_THAT(pieces(build(), 1),
              UnorderedElementsAre(std::pair("-", 65), std::pair("main/step/(blocked in or below it)", 20),
                                   std::pair("(processor taken away)", 5)));
}

// A tick that wakes the thread there finds the function that called the library, perhaps one line further on.
TEST_F(OffProcessorTest, ASampleRightAfterALibraryCallIsNoComputation) {
  call_from(0, 10, "MPI_Barrier", path({"main"}));
  const RegionId write = builder.region({.name = "fwrite (out)", .library = true});
  builder.enter(here, at(20), write, builder.call_path(path({"main"}), named("step"), 12));
  off(25, 60);
  builder.leave(here, at(60), write);
  builder.sample(here, at(61), builder.call_path(path({"main"}), named("step"), 14), 1);
  call_from(100, 110, "MPI_Barrier", path({"main"}));
  const Trace trace = build();
  EXPECT_TRUE(timeline(trace).samples(1).empty());
}

TEST_F(OffProcessorTest, LiesInTheFunctionThatMadeBothCallsInTwoLines) {
  const CallPathId main = path({"main"});
  call_from(0, 10, "MPI_Send", builder.call_path(main, named("step"), 4));
  off(30, 50);
  call_from(100, 110, "MPI_Barrier", builder.call_path(main, named("step"), 11));
  EXPECT_THAT(pieces(build(), 1),
              UnorderedElementsAre(std::pair("-", 70), std::pair("main/step/(blocked in or below it)", 20)));
}

TEST_F(OffProcessorTest, LiesInTheInnermostFunctionAroundBothCalls) {
  call_from(0, 10, "MPI_Send", path({"main", "step", "exchange"}));
  off(30, 50);
  call_from(100, 110, "MPI_Barrier", path({"main", "step", "end_of_step"}));
  EXPECT_THAT(pieces(build(), 1),
              UnorderedElementsAre(std::pair("-", 70), std::pair("main/step/(blocked in or below it)", 20)));
}

TEST_F(OffProcessorTest, LiesInNoFunctionThatWasLeftInBetween) {
  const CallPathId helper = path({"main", "step", "barrier"});
  call_from(0, 10, "MPI_Barrier", helper);
  builder.sample(here, at(20), path({"main", "step", "kernel"}), 1);
  off(30, 50);
  call_from(100, 110, "MPI_Barrier", helper);
  off(130, 150);
  call_from(200, 210, "MPI_Barrier", helper);
  const Trace trace = build();
  for (const std::size_t gap : {1, 2})
    EXPECT_THAT(
        pieces(trace, gap),
        UnorderedElementsAre(std::pair("-", 70), std::pair("main/step/(blocked in or below it)", 20)));
}

TEST_F(OffProcessorTest, LiesInARegionThatIsOpen) {
  call_from(0, 10, "MPI_Barrier", path({"main"}));
  builder.enter(here, at(20), named("write"));
  off(30, 50);
  builder.leave(here, at(60), named("write"));
  call_from(100, 110, "MPI_Barrier", path({"main"}));
  EXPECT_THAT(pieces(build(), 1), UnorderedElementsAre(std::pair("-", 50), std::pair("write", 20),
                                                       std::pair("write/(blocked)", 20)));
}

TEST_F(OffProcessorTest, ASumIsTakenFromWhatWasComputedBefore) {
  call_from(0, 10, "MPI_Barrier", path({"main"}));
  sum(90, 15, 3, OffReason::Preempted);
  sum(90, 500, 2, OffReason::Unknown);
  call_from(100, 110, "MPI_Barrier", path({"main"}));
  const Trace trace = build();
  EXPECT_THAT(pieces(trace, 1),
              UnorderedElementsAre(std::pair("-", 10), std::pair("(processor taken away)", 15),
                                   std::pair("(perhaps off the processor)", 65)));
}

TEST_F(OffProcessorTest, InAnMpiCallItIsAPartOfThat) {
  builder.enter(here, at(0), named("MPI_Barrier"), path({"main"}));
  off(5, 9);
  builder.leave(here, at(10), named("MPI_Barrier"));
  const Trace trace = build();
  EXPECT_EQ(trace.timeline(Location{0}).length(0), Duration(10));
}

TEST_F(OffProcessorTest, ASampleThatWokeItSaysWhere) {
  constexpr std::int64_t kMs = 1'000'000;
  const CallPathId usleep = path({"main", "write", "usleep"});
  call_from(0, kMs, "MPI_Barrier", path({"main"}));
  off(2 * kMs, 10 * kMs);
  builder.sample(here, at(10 * kMs + 5'000), usleep, 1);
  off(10 * kMs + 10'000, 20 * kMs);
  call_from(21 * kMs, 22 * kMs, "MPI_Barrier", path({"main"}));
  const Trace trace = build();
  EXPECT_TRUE(trace.timeline(Location{0}).samples(1).empty());
  std::int64_t blocked = 0;
  for (const auto& [name, time] : pieces(trace, 1))
    if (name == "main/write/usleep/(blocked)") blocked += time;
  EXPECT_EQ(blocked, 18 * kMs - 10'000);
}

TEST_F(OffProcessorTest, NoTimeIsTooLarge) {
  constexpr std::int64_t kHuge = std::int64_t{8'600'000'000'000'000'000};
  call_from(0, 10, "MPI_Barrier", path({"main"}));
  builder.off_processor(here, at(20), Duration(kHuge), OffReason::Blocked, 0);
  builder.off_processor(here, at(30), Duration(-kHuge), OffReason::Preempted, 0);
  builder.off_processor(here, at(kHuge), Duration(kHuge), OffReason::Blocked, 0);
  EXPECT_LE(build().end(), at(std::int64_t{1} << 55));
}

// Whatever events arrive, in whatever order: gaps keep their length, and nothing is negative.
TEST_F(OffProcessorTest, PiecesAddUpToTheGap) {
  std::mt19937 random(1);
  const auto below = [&random](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(bound));
  };
  std::int64_t now = 0;
  for (int i = 0; i < 2000; ++i) {
    now += below(100);
    const auto reason = OffReason(below(3));
    switch (below(5)) {
      case 0:
        call_from(now, now + 7, "MPI_Barrier", path({"main", below(2) == 0 ? "one" : "other"}));
        now += 7;
        break;
      case 1:
        off(now - below(150), now + below(3) - 1, reason);
        break;
      case 2:
        sum(now, below(200), static_cast<std::uint64_t>(1 + below(5)), reason);
        break;
      case 3:
        builder.sample(here, at(now), path({"main", "one"}), 1);
        break;
      default:
        builder.step(here, at(now));
    }
  }
  const Trace trace = build();
  const Timeline& timeline = trace.timeline(Location{0});
  for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
    Duration sum{};
    for (const ComputationPiece& piece : timeline.pieces(gap)) {
      EXPECT_GE(piece.time, Duration::zero());
      sum += piece.time;
    }
    EXPECT_EQ(sum, timeline.gap_end(gap) - timeline.gap_begin(gap)) << gap;
  }
}

}  // namespace
}  // namespace waitdiag
