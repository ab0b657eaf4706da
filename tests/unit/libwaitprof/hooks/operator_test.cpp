// Reduction operators of the program: they are computation between the parts of the call in which MPI ran them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/operator.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "libwaitprof/regions/regions.hpp"
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::ElementsAre;
using enum EventType;

int combined = 0;
std::chrono::microseconds of_combining{0};

void pass(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

void combine(void*, void* in_and_out, int* count, MPI_Datatype*) {
  pass(of_combining);
  *static_cast<int*>(in_and_out) += *count;
  ++combined;
}

class OperatorTest : public RecorderTest {
 protected:
  OperatorTest() {
    call(hooks::MakeOperator{.function = combine}, [this](auto& hook) {
      given_ = hook.function;
      return MPI_SUCCESS;
    });
    clear();
    combined = 0;
    of_combining = std::chrono::milliseconds(2);
  }

  // MPI runs it so many times, and waits in between.
  void reduce(CollectiveOp op, int root, int times, std::chrono::microseconds between = {}) {
    const hooks::Collective hook{.sendcount = 1,
                                 .sendtype = MPI_INT,
                                 .recvcount = 1,
                                 .recvtype = MPI_INT,
                                 .root = root,
                                 .comm = kRowComm,
                                 .op = op};
    call(hook, [&](auto&) {
      int sum = 0, count = 3;
      MPI_Datatype type = MPI_INT;
      longest_ = {};
      auto last = std::chrono::steady_clock::now();
      for (int i = 0; i < times; ++i) {
        given_(nullptr, &sum, &count, &type);
        const auto end = std::chrono::steady_clock::now();
        longest_ = std::max(longest_, std::chrono::nanoseconds(end - last));
        pass(between);
        last = between > between.zero() ? std::chrono::steady_clock::now() : end;
      }
      EXPECT_EQ(sum, 3 * times);
      return MPI_SUCCESS;
    });
    EXPECT_EQ(std::exchange(combined, 0), times);
  }
  // The same, until no short run was a long one because something took the processor away. False: never.
  bool reduce_undisturbed(CollectiveOp op, int root, int times, std::chrono::microseconds between = {}) {
    for (int tries = 0; tries < 1000; ++tries) {
      clear();
      reduce(op, root, times, between);
      if (longest_ < std::chrono::nanoseconds(hooks::kShortestOperator)) return true;
    }
    return false;
  }
  std::uint64_t length(std::size_t first, std::size_t last) const {
    return events()[last].time - events()[first].time;
  }

  MPI_User_function* given_ = nullptr;
  std::chrono::nanoseconds longest_{};  // of its runs, and of the time before them if none was planned
};

TEST_F(OperatorTest, ItLiesBetweenThePartsOfTheCall) {
  reduce(CollectiveOp::Allreduce, 0, 1);
  ASSERT_THAT(types(), ElementsAre(Enter, CollectiveRequest, Leave, Enter, Leave, Enter,
                                   CollectiveRequestDone, CollectiveComplete, Leave));
  EXPECT_GE(events()[3].u.region.region, kFirstUserRegion);
  EXPECT_EQ(events()[3].u.region.call_path, events()[0].u.region.call_path);
  EXPECT_EQ(events()[5].u.region.region, events()[0].u.region.region);
  EXPECT_EQ(events()[5].u.region.call_path, events()[0].u.region.call_path);
  EXPECT_EQ(events()[6].u.message.request, events()[1].u.message.request);
  EXPECT_GE(length(3, 4), 2'000'000u);
  EXPECT_EQ(length(2, 3) + length(4, 5), 0u);
}

TEST_F(OperatorTest, WhereMpiWaitsInBetweenThereIsAnotherPart) {
  reduce(CollectiveOp::Reduce, 1, 2, std::chrono::microseconds(500));
  ASSERT_THAT(types(), ElementsAre(Enter, CollectiveRequest, Leave, Enter, Leave, Enter, Leave, Enter, Leave,
                                   Enter, CollectiveRequestDone, CollectiveComplete, Leave));
  EXPECT_GE(length(5, 6), 500'000u);
  EXPECT_GE(length(7, 8), 2'000'000u);
}

TEST_F(OperatorTest, LongRunsRightBehindEachOtherAreApart) {
  reduce(CollectiveOp::Allreduce, 0, 2);
  ASSERT_EQ(types().size(), 13u);
  EXPECT_LT(length(5, 6), 1'000'000u);
  EXPECT_GE(length(7, 8), 2'000'000u);
}

TEST_F(OperatorTest, ShortRunsRightBehindEachOtherAreOne) {
  of_combining = std::chrono::microseconds(10);
  if (!reduce_undisturbed(CollectiveOp::Allreduce, 0, 10)) GTEST_SKIP();
  ASSERT_EQ(types().size(), 9u);
  EXPECT_GE(length(3, 4), 100'000u);
}

TEST_F(OperatorTest, TheLastPartStandsForAllFurtherOnes) {
  of_combining = std::chrono::microseconds(50);
  reduce(CollectiveOp::Allreduce, 0, 10, std::chrono::microseconds(50));
  ASSERT_EQ(types().size(), 5 + 4 * OperatorTime::kMostRuns);
  EXPECT_GE(length(types().size() - 6, types().size() - 5), 250'000u);
  for (std::size_t i = 1; i < types().size(); ++i) EXPECT_LE(events()[i - 1].time, events()[i].time);
}

TEST_F(OperatorTest, OfManyShortOnesTheTimeLiesBesideTheCall) {
  of_combining = std::chrono::microseconds(10);
  if (!reduce_undisturbed(CollectiveOp::Reduce, 1, 10, std::chrono::microseconds(50))) GTEST_SKIP();
  ASSERT_THAT(types(), ElementsAre(Enter, Leave, Enter, CollectiveBegin, CollectiveEnd, Leave));
  EXPECT_GE(length(0, 1), 100'000u);
  if (!reduce_undisturbed(CollectiveOp::Reduce, 0, 10, std::chrono::microseconds(50))) GTEST_SKIP();
  EXPECT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, Leave, Enter, Leave));
}

TEST_F(OperatorTest, AShortOneIsPartOfTheCall) {
  of_combining = std::chrono::microseconds(0);
  if (!reduce_undisturbed(CollectiveOp::Allreduce, 0, 1)) GTEST_SKIP();
  EXPECT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, Leave));
}

// Programs make and free an operator in every step, or have many.
TEST_F(OperatorTest, OneFunctionIsTimedHoweverOftenAndTooManyAreCounted) {
  const auto given = [](MPI_User_function* function) {
    MPI_User_function* to_mpi = nullptr;
    call(hooks::MakeOperator{.function = function}, [&](auto& hook) {
      to_mpi = hook.function;
      return MPI_SUCCESS;
    });
    return to_mpi;
  };
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(given(combine), given_);
  EXPECT_EQ(this_thread.left_out.untimed_operators, 0u);
  constexpr std::uintptr_t kNeverCalled = 0x1000, kMany = 300;
  std::uint64_t untimed = 0;
  for (std::uintptr_t i = 0; i < kMany; ++i) {
    auto* const function = reinterpret_cast<MPI_User_function*>(kNeverCalled + 16 * i);
    untimed += given(function) == function ? 1 : 0;
  }
  EXPECT_GT(untimed, 0u);
  EXPECT_LT(untimed, kMany / 3);
  EXPECT_EQ(this_thread.left_out.untimed_operators, untimed);
}

TEST_F(OperatorTest, OutsideOfMpiItIsNotTimed) {
  int sum = 0, count = 1;
  MPI_Datatype type = MPI_INT;
  given_(nullptr, &sum, &count, &type);
  EXPECT_EQ(this_thread.operators.time, 0u);
}

}  // namespace
}  // namespace waitprof
