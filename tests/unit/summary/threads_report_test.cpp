// What a report says of the threads of ranks: teams, and threads that only poll.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/wording/actions.hpp"
#include "analyzer/wording/labels.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// What rank 0's team waits for at the end of its region, 300 ms, is what thread 2 computed longer in heavy().
TEST(ReportOfThreads, WhoWaitsForATeamIsToldTheThreadAndItsFunction) {
  const Report report = report_of(R"(
    unit ms
    property WAITPROF::SAMPLING_HZ 100
    region "end of OpenMP region" library
    rank 0
      parallel main/flux regions 1 time 400 slowest 400 busy 100 100 400 100
      0..100  samples main/flux/flux._omp_fn.0/light:10
    100..400  main/flux/"end of OpenMP region"/(blocked)
    400..402  main/MPI_Barrier
    rank 0 thread 1
      0..402  samples flux._omp_fn.0/light:10
    rank 0 thread 2
      0..402  samples flux._omp_fn.0/light:10 flux._omp_fn.0/heavy:30
    rank 0 thread 3
      0..402  samples flux._omp_fn.0/light:10
    rank 1
      0..100  samples main/flux/flux._omp_fn.0/light:10
    100..402  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  const Report::Cause& first = report.causes.front();
  EXPECT_EQ(first.call_path, "main/flux");
  ASSERT_TRUE(first.late_thread);
  EXPECT_EQ(first.late_thread->thread, 2);
  EXPECT_EQ(first.late_thread->threads, 4u);
  EXPECT_EQ(first.late_thread->opened_by, "flux");
  EXPECT_EQ(first.late_thread->function, "heavy()");
  EXPECT_NE(
      first.why.text.find("On rank 0 thread 2 of 4 was late in flux() with heavy(): it computed for 400 ms"),
      std::string::npos)
      << first.why.text;
}

// heavy() only calls spin(), which is called nowhere else: nobody can say which of them is to be changed.
TEST(ReportOfThreads, AFunctionThatOnlyCallsAnotherOneIsNamedWithIt) {
  const auto late_with = [](const std::string& of_heavy) {
    const Report report = report_of(R"(
      unit ms
      property WAITPROF::SAMPLING_HZ 100
      region "end of OpenMP region" library
      rank 0
        parallel main/flux regions 1 time 400 slowest 400 busy 100 400
        0..100  samples main/flux/flux._omp_fn.0/light:10
      100..400  main/flux/"end of OpenMP region"/(blocked)
      400..402  main/MPI_Barrier
      rank 0 thread 1
        0..402  samples flux._omp_fn.0/heavy/spin:40 )" +
                                    of_heavy + R"(
      rank 1
        0..100  samples main/flux/flux._omp_fn.0/light:10
      100..402  main/MPI_Barrier
    )");
    return report.causes.at(0).late_thread.value().function;
  };
  EXPECT_EQ(late_with(""), "heavy/spin()");
  EXPECT_EQ(late_with("flux._omp_fn.0/heavy:4"), "spin()");
}

// Rank 0's team takes 300 ms longer than rank 1's, which has less to do. Of the 290 ms that thread 1 is late, each of
// both threads would have half if they were even.
TEST(ReportOfThreads, WhatATeamTakesLongerIsSavedByLessWorkEvenThreadsSaveTheirPart) {
  const Report report = report_of(R"(
    unit ms
    region "end of OpenMP region" library
    rank 0
      parallel main/flux regions 1 time 400 slowest 400 busy 110 400
      0..110  main/flux/flux._omp_fn.0
    110..400  main/flux/"end of OpenMP region"/(blocked)
    400..402  main/MPI_Barrier
    rank 1
      0..100  main/flux/flux._omp_fn.0
    100..402  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  const Report::Cause& first = report.causes.front();
  EXPECT_EQ(first.call_path, "main/flux");
  ASSERT_TRUE(first.late_thread);
  EXPECT_EQ(first.late_thread->thread, 1);
  EXPECT_NEAR(first.late_thread->gain_s, 0.145, 1e-9);
  const Action action = action_for(report, first);
  EXPECT_EQ(action.text,
            "Balance the threads of flux() on rank 0, and let them do less: the others of the team wait for "
            "thread 1.");
  EXPECT_EQ(action.sure, "Estimated by timing the run again without it; even threads alone save 145 ms.");
  EXPECT_NEAR(action.saves_s.value(), 0.3, 1e-9);
}

// Teams begin late because their threads have no processor: only half of what rank 0's takes is work.
TEST(ReportOfThreads, TeamsThatBeginLateAreNotLateBecauseOfWhatTheyDo) {
  const Report report = report_of(R"(
    unit ms
    region "end of OpenMP region" library
    rank 0
      parallel main/flux regions 1 time 400 slowest 200 busy 50 200
      0..50   main/flux/flux._omp_fn.0
     50..400  main/flux/"end of OpenMP region"/(blocked)
    400..402  main/MPI_Barrier
    rank 1
      parallel main/flux regions 1 time 100 slowest 100 busy 100 100
      0..100  main/flux/flux._omp_fn.0
    100..402  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().call_path, "main/flux");
  EXPECT_NEAR(report.causes.front().gain.value().runtime_s, 0.402 - 0.15, 1e-9);
}

// Rank 1 loses its processor to rank 0's threads: without the long team it would not, and who gains by that is not known.
TEST(ReportOfThreads, TeamsThatTakeTurnsOnProcessorsSaveAtMostWhatTheyTook) {
  const auto at_most = [](const std::string& team_of_rank_1) {
    const Report report = report_of(R"trace(
      unit ms
      region "end of OpenMP region" library
      rank 0 node vm processors 1
        parallel main/flux regions 1 time 400 slowest 390 busy 100 390
        0..100   main/flux/flux._omp_fn.0
      100..400   main/flux/"end of OpenMP region"/(blocked)
      400..402   main/MPI_Barrier
      rank 1 node vm processors 1
        parallel main/flux regions 1 time 160 slowest 160 busy 160 160
    )trace" + team_of_rank_1 + "\n 160..402 main/MPI_Barrier\n");
    EXPECT_EQ(report.causes.front().call_path, "main/flux");
    return report.causes.front().gain.value().at_most;
  };
  EXPECT_FALSE(at_most("0..160 main/flux/flux._omp_fn.0"));
  EXPECT_TRUE(at_most("0..60 main/flux/flux._omp_fn.0\n 60..160 \"(processor taken away)\""));
}

// Thread 1 opens a team in the team, and waits for its thread.
TEST(ReportOfThreads, AThreadIsLateWithWhatTheThreadsOfItsOwnTeamDo) {
  const Report report = report_of(R"(
    unit ms
    property WAITPROF::SAMPLING_HZ 100
    region "end of OpenMP region" library
    rank 0
      parallel main/nest regions 1 time 400 slowest 400 busy 100 400
      0..100  samples main/nest/nest._omp_fn.0/light:10
    100..400  main/nest/"end of OpenMP region"/(blocked)
    400..402  main/MPI_Barrier
    rank 0 thread 1
      0..402  samples nest._omp_fn.0/light:10 nest._omp_fn.0/nest._omp_fn.1/light:2
    rank 0 thread 2
      0..402  samples nest._omp_fn.1/light:2 nest._omp_fn.1/heavy:30
    rank 1
      0..100  samples main/nest/nest._omp_fn.0/light:10
    100..402  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  ASSERT_TRUE(report.causes.front().late_thread);
  EXPECT_EQ(report.causes.front().late_thread->thread, 1);
  EXPECT_EQ(report.causes.front().late_thread->function, "heavy()");
}

// A task is a function that the compiler made: the program knows compute() and relax().
TEST(ReportOfThreads, ALateThreadsFunctionHasNoCallerThatTheProgramDoesNotKnow) {
  const Report report = report_of(R"(
    unit ms
    property WAITPROF::SAMPLING_HZ 100
    region "end of OpenMP region" library
    rank 0
      parallel main/flux regions 1 time 400 slowest 400 busy 100 400
      0..100  samples main/flux/flux._omp_fn.0/relax/compute:10
    100..400  main/flux/"end of OpenMP region"/(blocked)
    400..402  main/MPI_Barrier
    rank 0 thread 1
      0..402  samples flux._omp_fn.0/relax/compute:10 flux._omp_fn.0/flux._omp_fn.1/compute:30
    rank 1
      0..100  samples main/flux/flux._omp_fn.0/relax/compute:10
    100..402  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  ASSERT_TRUE(report.causes.front().late_thread);
  EXPECT_EQ(report.causes.front().late_thread->function, "compute()");
}

// Thread 0 is late in one region, thread 1 in the other: none of them is slow.
TEST(ReportOfThreads, ThreadsThatAreLateInTurnAreNotNamed) {
  const Report report = report_of(R"(
    unit ms
    region "end of OpenMP region" library
    rank 0
      parallel main/flux regions 2 time 600 slowest 600 busy 400 400
      0..100  main/flux
    100..300  main/flux/"end of OpenMP region"/(blocked)
    300..600  main/flux
    600..602  main/MPI_Barrier
    rank 1
      0..100  main/flux
    100..602  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  ASSERT_TRUE(report.causes.front().late_thread);
  EXPECT_FALSE(report.causes.front().late_thread->thread);
  EXPECT_NE(report.causes.front().why.text.find("not always the same of 2 threads was late in flux()"),
            std::string::npos)
      << report.causes.front().why.text;
}

// Whoever comes last in rank 0's team, it is because of heavy(): asleep, which samples do not show.
TEST(ReportOfThreads, ThreadsThatAreLateInTurnAreLateWithWhatOtherRanksDoNotDo) {
  const Report report = report_of(R"(
    unit ms
    property WAITPROF::SAMPLING_HZ 100
    region "end of OpenMP region" library
    region usleep library
    rank 0
      parallel main/flux regions 2 time 600 slowest 600 busy 400 400
      0..100  samples main/flux/flux._omp_fn.0/light:10
    100..300  main/flux/"end of OpenMP region"/(blocked)
    300..500  main/flux/flux._omp_fn.0/heavy/usleep/(blocked)
    500..600  samples main/flux/flux._omp_fn.0/light:10
    600..602  main/MPI_Barrier
    rank 0 thread 1
      0..200  flux._omp_fn.0/heavy/usleep/(blocked)
    200..602  samples flux._omp_fn.0/light:20
    rank 1
      parallel main/flux regions 2 time 200 slowest 200 busy 200 200
      0..200  samples main/flux/flux._omp_fn.0/light:20
    200..602  main/MPI_Barrier
    rank 1 thread 1
      0..602  samples flux._omp_fn.0/light:20
  )");
  ASSERT_FALSE(report.causes.empty());
  ASSERT_TRUE(report.causes.front().late_thread);
  EXPECT_FALSE(report.causes.front().late_thread->thread);
  EXPECT_EQ(report.causes.front().late_thread->function, "heavy()");
}

// All threads sleep, and nothing was recorded of that: all that is known of the 400 ms is that solve() called flux().
TEST(ReportOfThreads, ATeamOfWhichNoSampleTellsIsWhatItsCallersAreLateWith) {
  const Report report = report_of(R"(
    unit ms
    rank 0
      parallel main/solve/flux regions 2 time 400 slowest 400 busy 200 250
      0..400  main/solve
    400..402  main/MPI_Barrier
    rank 1
      parallel main/solve/flux regions 2 time 100 slowest 100 busy 100 100
      0..100  main/solve
    100..402  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  ASSERT_TRUE(report.causes.front().late_thread);
  EXPECT_FALSE(report.causes.front().late_thread->thread);
  EXPECT_EQ(report.causes.front().late_thread->opened_by, "flux");
  EXPECT_NEAR(report.causes.front().late_thread->gain_s, 0.175, 1e-9);
}

TEST(ReportOfThreads, WhatSamplesTellOfATeamIsNothingThatItsCallersAreLateWith) {
  const Report report = report_of(R"(
    unit ms
    property WAITPROF::SAMPLING_HZ 100
    rank 0
      parallel main/solve/flux regions 2 time 400 slowest 400 busy 200 250
      0..800  samples main/solve:40 main/solve/flux/flux._omp_fn.0:40
    800..802  main/MPI_Barrier
    rank 1
      parallel main/solve/flux regions 2 time 400 slowest 400 busy 200 250
      0..400  samples main/solve/flux/flux._omp_fn.0:40
    400..802  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().call_path, "main/solve");
  EXPECT_FALSE(report.causes.front().late_thread);
}

TEST(ReportOfThreads, WhatAThreadDoesInNoFunctionOfTheProgramIsSaidSo) {
  const Report report = report_of(R"(
    unit ms
    property WAITPROF::SAMPLING_HZ 100
    rank 0
      0..100  main/flux
    100..102  main/MPI_Barrier
    rank 0 thread 1
      0..102  samples -:8 flux:2
  )");
  ASSERT_EQ(report.worker_threads.size(), 1u);
  EXPECT_EQ(function_label(report.worker_threads.front().functions.front().function),
            "(in no function of the program)");
}

TEST(ReportOfThreads, WhatATeamExecutesIsOfTheFunctionAroundIt) {
  const Report report = report_of(R"(
    rank 0
     0..40  main/flux/.omp_outlined._debug__.3
    40..41  main/MPI_Barrier
    rank 1
     0..10  main/flux/.omp_outlined._debug__.3
    10..41  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().function, "flux");
}

// Rank 0's second thread looks for messages that never come.
TEST(ReportOfThreads, ThreadsThatPollInVainDoNotCount) {
  const Report report = report_of(R"(
    unit us
    rank 0
      0..10    main/solve
     10..100   main/MPI_Barrier
    rank 0 thread 1
      0..1     serve/MPI_Iprobe
      1..49    serve/rest
     49..50    serve/MPI_Iprobe
     50..99    serve/rest
     99..100   serve/MPI_Iprobe
    rank 1
      0..100   main/solve
  )");
  EXPECT_DOUBLE_EQ(report.time.total_s, 200e-6);
  const Report scalasca = report_of(R"(
    unit us
    rank 0
      0..10    main/solve
     10..100   main/MPI_Barrier
    rank 0 thread 1
      0..100   serve/MPI_Iprobe
    rank 1
      0..100   main/solve
  )",
                                    {.rules = Rules::Scalasca});
  EXPECT_DOUBLE_EQ(scalasca.time.total_s, 300e-6);
}

}  // namespace
}  // namespace waitdiag
