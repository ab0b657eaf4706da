// Reduction operators of the program: their time lies beside the call in which MPI ran them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "libwaitprof/hooks/operator.hpp"

#include <chrono>
#include <thread>

#include "libwaitprof/regions/regions.hpp"
#include "tests/unit/libwaitprof/hooks/recorder_fixture.hpp"

namespace waitprof {
namespace {

using testing::ElementsAre;
using enum EventType;

int combined = 0;
std::chrono::milliseconds of_combining{0};

void combine(void*, void* in_and_out, int* count, MPI_Datatype*) {
  std::this_thread::sleep_for(of_combining);
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

  // MPI runs it so many times.
  void reduce(CollectiveOp op, int root, int times) {
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
      for (int i = 0; i < times; ++i) given_(nullptr, &sum, &count, &type);
      EXPECT_EQ(sum, 3 * times);
      return MPI_SUCCESS;
    });
    EXPECT_EQ(combined, times);
  }
  std::uint64_t length(std::size_t first, std::size_t last) const {
    return events()[last].time - events()[first].time;
  }

  MPI_User_function* given_ = nullptr;
};

TEST_F(OperatorTest, WhatIsPassedOnLiesBeforeTheCall) {
  reduce(CollectiveOp::Reduce, 1, 2);
  ASSERT_THAT(types(), ElementsAre(Enter, Leave, Enter, CollectiveBegin, CollectiveEnd, Leave));
  EXPECT_GE(events()[0].u.region.region, kFirstUserRegion);
  EXPECT_EQ(events()[0].u.region.call_path, events()[2].u.region.call_path);
  EXPECT_GE(length(0, 1), 4'000'000u);
  EXPECT_EQ(length(1, 2), 0u);
  EXPECT_LT(length(2, 5), length(0, 1));
}

TEST_F(OperatorTest, WhatTheRootKeepsLiesBehindIt) {
  reduce(CollectiveOp::Reduce, 0, 1);
  ASSERT_THAT(types(), ElementsAre(Enter, CollectiveBegin, CollectiveEnd, Leave, Enter, Leave));
  EXPECT_EQ(length(3, 4), 0u);
  EXPECT_GE(length(4, 5), 2'000'000u);
}

TEST_F(OperatorTest, WhereAllGetTheResultTheLastOneIsKept) {
  reduce(CollectiveOp::Allreduce, 0, 3);
  ASSERT_THAT(types(), ElementsAre(Enter, Leave, Enter, CollectiveBegin, CollectiveEnd, Leave, Enter, Leave));
  EXPECT_GE(length(0, 1), 4'000'000u);
  EXPECT_GE(length(6, 7), 2'000'000u);
}

TEST_F(OperatorTest, AShortOneIsPartOfTheCall) {
  of_combining = std::chrono::milliseconds(0);
  reduce(CollectiveOp::Allreduce, 0, 1);
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
