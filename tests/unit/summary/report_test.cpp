// The contents of the report, and what a diagnosis refuses.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <set>
#include <sstream>
#include <string>

#include "analyzer/trace/model/trace_error.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

constexpr const char* kTwoBarriers = R"(
  program app
  mpi "MPICH 4.0.2"
  creator "waitprof 0.1"
  property "WAITPROF::SAMPLING" wall
  region eos file eos.c line 12
  region main file main.c line 3
  rank 0 node n1
    0..10   main@20/solve/MPI_Init
    10..400 main@20/eos
    400..410 main@33/MPI_Barrier
    410..420 main@34/MPI_Finalize
  rank 1 node n2
    0..10   main@20/solve/MPI_Init
    10..100 main@20/eos
    100..410 main@33/MPI_Barrier
    410..420 main@34/MPI_Finalize)";

TEST(MakeReport, DescribesTheRun) {
  const Report::Run run = report_of(kTwoBarriers).run;
  EXPECT_EQ(run.program, "app");
  EXPECT_EQ(run.mpi, "MPICH 4.0.2");
  EXPECT_EQ(run.sampling, "wall");
  EXPECT_EQ(run.rules, "waitprof");
  EXPECT_EQ(run.model, "h-cwp-dm");
  EXPECT_EQ(run.interval, "causal");
  EXPECT_EQ(run.ranks, 2u);
  EXPECT_EQ(run.threads, 2u);
  EXPECT_EQ(run.nodes, 2u);
  EXPECT_EQ(run.mpi_calls, 6u);
  EXPECT_EQ(run.collectives, 1u);
  EXPECT_EQ(run.messages, 0u);
  EXPECT_NEAR(run.runtime_s, 420e-9, 1e-15);
}

TEST(MakeReport, NamesTheCauseWithItsPlace) {
  const Report report = report_of(kTwoBarriers);
  const Report::Cause* eos = cause(report, "main/eos");
  ASSERT_NE(eos, nullptr);
  EXPECT_EQ(eos->function, "eos");
  EXPECT_EQ(eos->file, "eos.c");
  EXPECT_EQ(eos->line, 12u);
  EXPECT_EQ(eos->kind, "computation");
  EXPECT_NEAR(eos->waiting_s, 300e-9, 1e-15);
  EXPECT_NEAR(eos->excess_s, 300e-9, 1e-15);
  EXPECT_NEAR(eos->share_of_waiting, 1, 1e-12);
}

TEST(MakeReport, PlacesAnMpiCallWhereItIsCalled) {
  const Report report = report_of(kTwoBarriers);
  const auto barrier = std::find_if(report.hotspots.begin(), report.hotspots.end(),
                                    [](const Report::Hotspot& h) { return h.function == "MPI_Barrier"; });
  ASSERT_NE(barrier, report.hotspots.end());
  EXPECT_EQ(barrier->file, "main.c");
  EXPECT_EQ(barrier->visits, 2u);
  EXPECT_NEAR(barrier->seconds, 320e-9, 1e-15);
  EXPECT_NEAR(barrier->share, 320.0 / 840, 1e-12);
}

TEST(MakeReport, PlacesAnMpiCallThatCausesHardlyAnything) {
  const Report report = report_of(R"(
    region main file main.c line 3
    rank 0
        0..20    main@20/MPI_Init
       20..9020  main@20/eos
     9020..9030  main@33/MPI_Barrier
    rank 1
        0..10    main@20/MPI_Init
       10..9030  main@33/MPI_Barrier)",
                                  {.model = Model::CwpDm});
  const Report::Cause* init = cause(report, "main/MPI_Init");
  ASSERT_NE(init, nullptr);
  EXPECT_LT(init->share_of_waiting, 0.01);
  EXPECT_EQ(init->line, 20u);
}

TEST(MakeReport, TwoCausesThatSamplesTellApartAreBothSure) {
  const Report report = report_of(R"(
    rank 0
        0..9000  samples main/solve:300 main/eos:400 main/match:200
     9000..9010  main/MPI_Barrier
    rank 1
        0..3000  samples main/solve:300
     3000..9010  main/MPI_Barrier)");
  ASSERT_GE(report.causes.size(), 2u);
  EXPECT_EQ(report.causes[0].call_path, "main/eos");
  EXPECT_EQ(report.causes[0].certainty.level, "sure");
  EXPECT_EQ(report.causes[1].call_path, "main/match");
  EXPECT_EQ(report.causes[1].certainty.level, "sure");
  EXPECT_EQ(report.causes[1].certainty.text, "200 samples of its excess; beside eos() with 67 %");
}

TEST(MakeReport, WhoIsBlockedIsNotTheStandardLibrary) {
  const Report report = report_of(R"(
    region pthread_mutex_lock library
    rank 0
     0..40  main/worker/"std::mutex::lock"/__gthread_mutex_lock/pthread_mutex_lock/(blocked)
    40..41  main/MPI_Barrier
    rank 1
    10..41  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().function, "worker (blocked in pthread_mutex_lock)");
}

TEST(MakeReport, WhoJoinsThreadsIsToldWhatTheyComputed) {
  const Report report = report_of(R"(
    unit ms
    property WAITPROF::SAMPLING_HZ 100
    region pthread_join library
    rank 0
      0..300  main/pthread_join/(blocked)
    300..302  main/MPI_Barrier
    rank 0 thread 1
      0..300  samples main/heavy:20
    rank 1
      0..302  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().waited_for, "threads");
  EXPECT_NE(
      report.causes.front().why.text.find("computed for 200 ms in the whole run, 100 % of it in heavy()"),
      std::string::npos)
      << report.causes.front().why.text;
}

// Rank 1 of 2 is late in these steps of 40.
std::string report_on_late_steps(const std::set<int>& late) {
  std::ostringstream text;
  for (const int rank : {0, 1}) {
    text << "rank " << rank << '\n';
    for (int step = 0, time = 0; step < 40; ++step) {
      const int longest = late.contains(step) ? 30 : 10, works = rank == 1 ? longest : 10;
      text << time << ".." << time + works << " solve\n";
      text << time + works << ".." << time + longest + 1 << " MPI_Barrier\n";
      time += longest + 1;
    }
  }
  return report_of(text.str()).causes.front().why.text;
}

TEST(MakeReport, LateStepsAreListedOrCounted) {
  const std::string few = report_on_late_steps({3, 7, 12, 13, 14, 30});
  EXPECT_NE(few.find(" Only in steps 3, 7, 12 to 14 and 30 of 40."), std::string::npos) << few;
  const std::string many = report_on_late_steps({3, 4, 7, 9, 12, 20, 25, 30});
  EXPECT_NE(many.find(" Only in 8 steps between 3 and 30 of 40."), std::string::npos) << many;
}

TEST(MakeReport, WhoIsBlockedHasAName) {
  const Report report = report_of(R"(
    region pwrite library
    rank 0
     0..40  main/checkpoint/H5Dwrite/"libhdf5.so.103+0xba7b0"/"libhdf5.so.103+0x12389"/pwrite/(blocked)
    40..41  main/MPI_Barrier
    rank 1
    10..41  main/MPI_Barrier
  )");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes.front().function, "H5Dwrite (blocked in pwrite)");
}

TEST(MakeReport, SortsBySizeAndListsRanks) {
  const Report report = report_of(R"(
    rank 0
      0..10 a
      10..50 MPI_Barrier
      50..60 b
      60..90 MPI_Barrier
    rank 1
      0..40 a
      40..50 MPI_Barrier
      50..70 b
      70..90 MPI_Barrier
    rank 2
      0..40 a
      40..50 MPI_Barrier
      50..80 b
      80..90 MPI_Barrier)");
  ASSERT_EQ(report.causes.size(), 2u);
  EXPECT_GE(report.causes[0].waiting_s, report.causes[1].waiting_s);
  ASSERT_EQ(report.waits.size(), 1u);
  EXPECT_THAT(report.waits[0].by_rank.front().rank, 0);
  EXPECT_NEAR(report.explained_s + report.unexplained_s, report.time.waiting_s, 1e-18);
}

TEST(MakeReport, TimesAddUp) {
  const Report report = report_of(kTwoBarriers);
  EXPECT_NEAR(report.time.total_s, 840e-9, 1e-15);
  EXPECT_NEAR(report.time.mpi_s, 360e-9, 1e-15);
  EXPECT_NEAR(report.time.computation_s, 480e-9, 1e-15);
  EXPECT_NEAR(report.time.waiting_s, 300e-9, 1e-15);
  EXPECT_NEAR(report.efficiency.load_balance, 240.0 / 390, 1e-12);
  EXPECT_NEAR(report.efficiency.parallel, 240.0 / 420, 1e-12);
  EXPECT_NEAR(report.efficiency.communication, report.efficiency.serialisation * report.efficiency.transfer,
              1e-12);
}

// Rank 1 is 50 late to MPI_Finalize.
TEST(MakeReport, BeginningAndEndingMpiIsToldWithoutWaiting) {
  const Report report = report_of(R"(
    unit ms
    rank 0
      0..100  MPI_Init
    100..150  solve
    150..210  MPI_Finalize
    rank 1
      0..100  MPI_Init
    100..200  solve
    200..210  MPI_Finalize
  )");
  EXPECT_DOUBLE_EQ(report.time.begin_and_end_s.value(), 0.220);
  EXPECT_DOUBLE_EQ(report.time.waiting_s, 0.050);
}

TEST(MakeReport, AlwaysSaysWhetherTheClocksAgree) {
  const auto quality = report_of(kTwoBarriers).data_quality;
  ASSERT_EQ(quality.size(), 1u);
  EXPECT_EQ(quality[0].id, "clock_violations");
  EXPECT_EQ(quality[0].count, 0u);
}

TEST(MakeReport, ScalascaRulesAreAPackage) {
  const Report report = report_of(kTwoBarriers, {.rules = Rules::Scalasca});
  EXPECT_EQ(report.run.interval, "pair");
  EXPECT_EQ(report.run.model, "cwp-dm");
  EXPECT_FALSE(report.delay_costs.empty());
}

TEST(Diagnose, RefusesATraceWithoutMpi) {
  EXPECT_THROW(report_of("rank 0\n0..10 solve\n"), TraceError);
}

TEST(Diagnose, AnswersForARunWithoutWaiting) {
  const Report report = report_of("rank 0\n0..1 MPI_Init\n1..2 MPI_Finalize\n");
  EXPECT_TRUE(report.waits.empty());
  EXPECT_TRUE(report.causes.empty());
  EXPECT_EQ(report.unexplained_s, 0);
  EXPECT_TRUE(std::isnan(report.efficiency.load_balance));
}

TEST(Diagnose, NamesTheLastRankToReachMpiInit) {
  const auto started = [](const std::string& second) {
    Stages stages;
    return make_report(parse_text("rank 0\n0..50 MPI_Init\n50..100 MPI_Barrier\nrank 1\n" + second), {},
                       stages)
        .late_start;
  };
  const auto late = started("40..50 MPI_Init\n50..100 MPI_Barrier\n");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->rank, 1);
  EXPECT_NEAR(late->late_s, 40e-9, 1e-15);
  EXPECT_NEAR(late->stayed_s, 40e-9, 1e-15);
  EXPECT_FALSE(started("1..50 MPI_Init\n50..100 MPI_Barrier\n"));  // less than a hundredth of 200
  EXPECT_FALSE(started("40..100 MPI_Barrier\n"));
}

TEST(Diagnose, NamesItsStages) {
  Stages stages;
  make_report(parse_text(kTwoBarriers), {}, stages);
  std::vector<std::string> names;
  for (const Stages::Step& step : stages.steps()) names.push_back(step.name);
  EXPECT_THAT(names,
              testing::ElementsAre("match", "detect", "slice", "find stalls", "divide", "profile", "pool",
                                   "add up", "attribute", "find steps", "look closer", "re-time", "replay",
                                   "replay repairs", "efficiency", "characterise", "summarise"));
}

// The sentence about the cause `main/relax`, which rank 2 leaves last, in `steps` time steps.
std::string why_of_last(int steps, int growth, const std::string& of_rank_1, bool sampled) {
  std::string first = "rank 0\n", middle = "rank 1\n", last = "rank 2\n";
  int now = 0;
  for (int step = 0; step < steps; ++step) {
    const int done = now + 20 + growth * step, end = done + 1;
    const auto line = [](int from, int to, const std::string& what) {
      return std::to_string(from) + ".." + std::to_string(to) + " " + what + "\n";
    };
    first += line(now, now + 1, "main/other") + line(now + 1, end, "main/MPI_Barrier");
    middle += line(now, now + 19, of_rank_1) + line(now + 19, end, "main/MPI_Barrier");
    last += line(now, done, sampled ? "samples main/relax:1" : "main/relax") +
            line(done, end, "main/MPI_Barrier");
    now = end;
  }
  return cause(report_of(first + middle + last), "main/relax")->why.text;
}

TEST(MakeReport, OthersThatRunItAsOftenAreNotAveragedAway) {
  EXPECT_EQ(why_of_last(8, 0, "main/relax", false),
            "Uneven number of visits: 8 on ranks 1, 2, none on the others.");
}

TEST(MakeReport, WhatGrowsIsNotLateAlike) {
  EXPECT_EQ(why_of_last(8, 10, "main/other", true),
            "Late on the same ranks in all steps; samples do not tell whether it runs more often there or "
            "slower. It grows over time: 3.4x from the first to the last third of the steps.");
}

TEST(MakeReport, WaitsBetweenNodesAreAsUncertainAsTheirClocks) {
  const auto barrier = [](const std::string& node) {
    const std::string first =
        "property \"WAITPROF::CLOCK_ERROR\" 10\nrank 0 node a\n 0..300 solve\n 300..310 MPI_Barrier\n";
    return report_of(first + "rank 1 node " + node + "\n 0..310 MPI_Barrier").waits.front().uncertain_s;
  };
  EXPECT_NEAR(barrier("b"), 20e-9, 1e-15);
  EXPECT_EQ(barrier("a"), 0);
}

TEST(MakeReport, TheCriticalPathAndItsLateStartAreTheRunTime) {
  const Report report =
      report_of("rank 0\n 0..10 solve\n 10..30 MPI_Barrier\nrank 1\n 6..29 solve\n 29..30 MPI_Barrier");
  EXPECT_NEAR(report.critical_path.total_s, 24e-9, 1e-15);
  EXPECT_NEAR(report.critical_path.late_start_s, 6e-9, 1e-15);
}

// The model passes the broadcast along a tree, in which rank 3 gets it from rank 2; in the run it did not.
TEST(MakeReport, AReplayThatTakesLongerThanTheRunSaysNothingAboutTransfer) {
  const Report report = report_of(R"(
  rank 0
    0..10   solve
    10..11  MPI_Bcast root 0 bytes 8
    11..100 solve
  rank 1
    0..10   solve
    10..12  MPI_Bcast root 0 bytes 8
    12..100 solve
  rank 2
    0..50   solve
    50..51  MPI_Bcast root 0 bytes 8
    51..100 solve
  rank 3
    0..10   solve
    10..11  MPI_Bcast root 0 bytes 8
    11..100 solve)");
  EXPECT_FALSE(report.efficiency_by_replay);
  EXPECT_THAT(report.no_efficiency_by_replay, testing::HasSubstr("39.0 ns longer than the run"));
}

TEST(MakeReport, ARankOfWhichNothingIsKnownIsNotLost) {
  const std::string two =
      "rank 0\n 0..40 solve\n 40..50 MPI_Send to 1 bytes 8\nrank 1\n 0..50 MPI_Recv from 0 bytes 8\n";
  EXPECT_NEAR(report_of(two).efficiency.parallel, 0.4, 1e-12);
  EXPECT_NEAR(report_of(two + "rank 2\n").efficiency.parallel, 0.4, 1e-12);
}

}  // namespace
}  // namespace waitdiag
