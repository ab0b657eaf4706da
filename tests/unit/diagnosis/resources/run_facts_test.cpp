// What ranks used of their nodes, where messages went, and what the recording cost.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/resources/file_use.hpp"
#include "analyzer/diagnosis/resources/resource_use.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// Rank 0 computes all the time, rank 1 sleeps from 20 on. Two ranks of one node with one processor.
constexpr const char* kUneven = R"(
rank 0 node a processors 1
  0..10   MPI_Barrier
  usage 10 cpu 100 memory 1000 load 1
  10..40  solve
  40..50  MPI_Barrier
  usage 50 cpu 140 memory 3000 load 2
rank 1 node a processors 1
  0..10   MPI_Barrier
  usage 10 cpu 50 memory 1000 load 2
  10..20  solve
  usage 20 cpu 60 memory 2000 load 2
  20..50  MPI_Barrier
  usage 50 cpu 60 memory 1500 load 2
)";

TEST(Resources, OfARankOverTime) {
  const ResourceUse use = resource_use(parse_text(kUneven), 5);
  ASSERT_EQ(use.ranks.size(), 2u);
  EXPECT_EQ(use.column, Duration(10));
  EXPECT_NEAR(use.ranks[0].processors, 1.0, 1e-12);
  EXPECT_EQ(use.ranks[0].most_resident, 3000u);
  EXPECT_NEAR(use.ranks[1].processors, 0.25, 1e-12);
  EXPECT_EQ(use.ranks[1].most_resident, 2000u);
  const auto& columns = use.ranks[1].processors_over_time;
  ASSERT_EQ(columns.size(), 5u);
  EXPECT_FALSE(columns[0].has_value());  // before the first reading
  EXPECT_NEAR(columns[1].value(), 1.0, 1e-12);
  EXPECT_NEAR(columns[2].value(), 0.0, 1e-12);
  EXPECT_EQ(use.ranks[1].resident_over_time[1], 2000u);
  EXPECT_EQ(use.ranks[1].resident_over_time[4], 1500u);
}

TEST(Resources, OfANode) {
  const ResourceUse use = resource_use(parse_text(kUneven), 5);
  ASSERT_EQ(use.nodes.size(), 1u);
  EXPECT_EQ(use.nodes[0].processors, 1u);
  EXPECT_EQ(use.nodes[0].most_runnable, 2u);
  EXPECT_NEAR(use.nodes[0].runnable, 9.0 / 5, 1e-12);
}

TEST(Resources, NothingWithoutReadings) {
  const ResourceUse use = resource_use(parse_text("rank 0\n 0..10 solve\n 10..20 MPI_Barrier\n"), 5);
  EXPECT_TRUE(use.ranks.empty());
  EXPECT_TRUE(use.nodes.empty());
}

TEST(Resources, ACrowdedNodeIsSaid) {
  const Report report = report_of(kUneven);
  ASSERT_FALSE(report.data_quality.empty());
  EXPECT_EQ(report.data_quality.front().id, "crowded_nodes");
  EXPECT_EQ(report.data_quality.front().severity, "warning");
}

// The host took 20 of the 40 in which the only processor was wanted.
TEST(Resources, WhatTheHostOfAVirtualMachineTookIsSaid) {
  const Report report = report_of(R"(
rank 0 node a processors 1
  0..10   MPI_Barrier
  usage 10 cpu 0 memory 1 load 1 stolen 5
  10..40  solve
  40..50  MPI_Barrier
  usage 50 cpu 20 memory 1 load 1 stolen 25
)");
  ASSERT_EQ(report.node_resources.size(), 1u);
  EXPECT_NEAR(report.node_resources[0].stolen_s.value(), 20e-9, 1e-15);
  EXPECT_NEAR(report.node_resources[0].stolen_share, 0.5, 1e-12);
  const auto told = std::ranges::find(report.data_quality, "stolen_processors", &Report::Quality::id);
  ASSERT_NE(told, report.data_quality.end());
  EXPECT_EQ(told->severity, "warning");
  EXPECT_NE(told->text.find(" 50 %"), std::string::npos) << told->text;
}

TEST(Resources, AMachineThatLosesNothingSaysNothing) {
  const Report report = report_of(kUneven);
  EXPECT_FALSE(report.node_resources[0].stolen_s.has_value());
  EXPECT_EQ(std::ranges::find(report.data_quality, "stolen_processors", &Report::Quality::id),
            report.data_quality.end());
}

TEST(Resources, ProcessorTimeThatNoRecordedThreadUsedIsSaid) {
  const auto said = [](const std::string& sampling, const std::string& cpu) {
    const Report report = report_of("unit ms\n" + sampling + R"(
rank 0
  0..10       MPI_Barrier
  usage 10 cpu 0 memory 1 load 1
  10..1000    samples main/solve:80
  1000..1010  MPI_Barrier
  usage 1010 cpu )" + cpu + R"( memory 1 load 1
rank 0 thread 1
  0..1000     samples main/heavy:50
rank 1
  0..1010     MPI_Barrier
)");
    return std::ranges::count(report.data_quality, "unseen_threads", &Report::Quality::id);
  };
  const std::string cpu = "property \"WAITPROF::SAMPLING\" cpu\nproperty \"WAITPROF::SAMPLING_HZ\" 100\n";
  EXPECT_EQ(said(cpu, "1600"), 1);  // 0.8 and 0.5 s are sampled, 0.02 s in MPI
  EXPECT_EQ(said(cpu, "1400"), 0);
  EXPECT_EQ(said(cpu + "property \"WAITPROF::SAMPLING_RANKS\" 1\n", "1600"), 0);
  EXPECT_EQ(said("property \"WAITPROF::SAMPLING\" off\nproperty \"WAITPROF::SAMPLING_HZ\" 100\n", "1600"), 0);
}

TEST(Recording, CostsStartAndEndAndSamples) {
  const Report report = report_of(R"(
property "WAITPROF::CALL_COST" 100
property "WAITPROF::START_COST" 5000
property "WAITPROF::END_COST" 3000
rank 0 upkeep 700
  0..10    MPI_Barrier
rank 1
  0..10    MPI_Barrier
)");
  ASSERT_TRUE(report.recording.has_value());
  EXPECT_NEAR(report.recording->start_s, 5e-6, 1e-15);
  EXPECT_NEAR(report.recording->end_s, 3e-6, 1e-15);
  EXPECT_NEAR(report.recording->ends_ran_s, 8e-6, 1e-15);
  EXPECT_NEAR(report.recording->ranks[0].upkeep_s, 700e-9, 1e-15);
  EXPECT_NEAR(report.recording->ranks[0].total_s, 8800e-9, 1e-15);
  EXPECT_NEAR(report.recording->ranks[1].total_s, 8100e-9, 1e-15);
}

// Start and end take longer than they compute: they wait for files, and for other ranks.
TEST(Recording, CostsProcessorTime) {
  const Report report = report_of(R"(
property "WAITPROF::CALL_COST" 100
property "WAITPROF::START_COST" 5000
property "WAITPROF::END_COST" 3000
property "WAITPROF::START_PROCESSOR_TIME" 2000
property "WAITPROF::END_PROCESSOR_TIME" 1000
rank 0
  0..10    MPI_Barrier
)");
  ASSERT_TRUE(report.recording.has_value());
  EXPECT_NEAR(report.recording->start_s, 5e-6, 1e-15);
  EXPECT_NEAR(report.recording->end_s, 3e-6, 1e-15);
  EXPECT_NEAR(report.recording->ends_ran_s, 3e-6, 1e-15);
  EXPECT_NEAR(report.recording->ranks[0].total_s, 3100e-9, 1e-15);
}

// Two threads of rank 0 compute for 60 and 20 of 70, in a run of 100; its other 20 are serial, 10 are MPI's.
TEST(Teams, HybridEfficiencies) {
  const Report report = report_of(R"(
rank 0
  parallel main/flux regions 2 time 70 slowest 64 busy 60 20
  0..70     main/flux
  70..90    main
  90..100   MPI_Barrier
)");
  ASSERT_TRUE(report.teams.has_value());
  const Teams& teams = *report.teams;
  EXPECT_EQ(teams.threads, 2u);
  EXPECT_NEAR(teams.parallel, 100.0 / 200, 1e-12);
  EXPECT_NEAR(teams.mpi, 0.9, 1e-12);
  EXPECT_NEAR(teams.openmp, 100.0 / 180, 1e-12);
  EXPECT_NEAR(teams.serial, 160.0 / 180, 1e-12);
  EXPECT_NEAR(teams.overhead, 148.0 / 160, 1e-12);
  EXPECT_NEAR(teams.balance, 100.0 / 148, 1e-12);
  ASSERT_EQ(teams.by_call_path.size(), 1u);
  const Teams::Team& row = teams.by_call_path.front();
  EXPECT_EQ(row.call_path, "main/flux");
  EXPECT_EQ(row.busiest_thread, 0);
  EXPECT_NEAR(row.waiting_s, 48e-9, 1e-15);
  EXPECT_NEAR(row.overhead_s, 12e-9, 1e-15);
}

// Of 80, two threads compute for 60 at most, for 70 if waiting for a lock counts; barriers took 6, begin and end 4.
TEST(Teams, TurnsAndBarriersAreSharesOfTheirOwn) {
  const Report report = report_of(R"(
rank 0
  parallel main/flux regions 1 time 80 slowest 60 with_turns 70 barriers 6 turns 0 15 busy 60 40
  0..80     main/flux
  80..100   MPI_Barrier
)");
  ASSERT_TRUE(report.teams.has_value());
  const Teams& teams = *report.teams;
  EXPECT_NEAR(teams.openmp, 100.0 / 160, 1e-12);
  EXPECT_NEAR(teams.serial, 1, 1e-12);
  EXPECT_NEAR(teams.overhead, 152.0 / 160, 1e-12);
  EXPECT_NEAR(teams.barriers, 140.0 / 152, 1e-12);
  EXPECT_NEAR(teams.contention, 120.0 / 140, 1e-12);
  EXPECT_NEAR(teams.balance, 100.0 / 120, 1e-12);
  ASSERT_EQ(teams.by_call_path.size(), 1u);
  const Teams::Team& row = teams.by_call_path.front();
  EXPECT_NEAR(row.waiting_s, 20e-9, 1e-15);
  EXPECT_NEAR(row.contention_s, 20e-9, 1e-15);
  EXPECT_NEAR(row.turns_s, 15e-9, 1e-15);
  EXPECT_NEAR(row.barriers_s, 12e-9, 1e-15);
  EXPECT_NEAR(row.overhead_s, 8e-9, 1e-15);
}

// Of 80, two threads compute for 50 at most, for 55 with waiting for a lock, for 65 with waiting for tasks.
TEST(Teams, WaitingForTasksIsAShareOfItsOwn) {
  const Report report = report_of(R"(
rank 0
  parallel main/flux regions 1 time 80 slowest 50 with_turns 55 with_tasks 65 barriers 5 tasks 25 turns 0 5 busy 50 40
  0..80     main/flux
  80..100   MPI_Barrier
)");
  ASSERT_TRUE(report.teams.has_value());
  const Teams& teams = *report.teams;
  EXPECT_NEAR(teams.openmp, 90.0 / 160, 1e-12);
  EXPECT_NEAR(teams.overhead, 140.0 / 160, 1e-12);
  EXPECT_NEAR(teams.barriers, 130.0 / 140, 1e-12);
  EXPECT_NEAR(teams.tasks, 110.0 / 130, 1e-12);
  EXPECT_NEAR(teams.contention, 100.0 / 110, 1e-12);
  EXPECT_NEAR(teams.balance, 90.0 / 100, 1e-12);
  ASSERT_EQ(teams.by_call_path.size(), 1u);
  const Teams::Team& row = teams.by_call_path.front();
  EXPECT_NEAR(row.contention_s, 10e-9, 1e-15);
  EXPECT_NEAR(row.tasks_s, 20e-9, 1e-15);
  EXPECT_NEAR(row.task_waits_s, 25e-9, 1e-15);
  EXPECT_NEAR(row.barriers_s, 10e-9, 1e-15);
  EXPECT_NEAR(row.overhead_s, 20e-9, 1e-15);
}

// MPI in a parallel region: the rank was outside of MPI for 50, but in its teams for 90.
TEST(Teams, MpiCallsInsideOfThemAreTakenOut) {
  const Report report = report_of(R"(
rank 0
  0..10 main/init
  10..50 main/flux/MPI_Barrier
  50..90 main/flux
  90..100 main/MPI_Barrier
  parallel main/flux regions 1 time 90 slowest 80 busy 80 40
rank 1
  0..100 main/MPI_Barrier)");
  ASSERT_TRUE(report.teams);
  EXPECT_NEAR(report.teams->mpi_inside_s, 40e-9, 1e-15);
  EXPECT_NEAR(report.teams->serial, 1, 1e-12) << "all of it is in teams";
  EXPECT_NEAR(report.teams->openmp, 80.0 / 100, 1e-9)
      << "of two threads for 50, one was busy for 40 of 80 inside of MPI";
}

TEST(Teams, ALateRankHasALateThread) {
  const Report report = report_of(R"(
rank 0
  parallel main/flux regions 1 time 70 slowest 70 busy 30 70
  0..70     main/flux
  70..75    MPI_Barrier
rank 1
  parallel main/flux regions 1 time 30 slowest 30 busy 30 30
  0..30     main/flux
  30..75    MPI_Barrier
)");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_NE(report.causes.front().why.text.find("On rank 0 thread 1 of 2 was late in flux()"),
            std::string::npos)
      << report.causes.front().why.text;
}

TEST(Recording, CostsCallsAndFlushes) {
  const Report report = report_of(R"(
property "WAITPROF::CALL_COST" 100
rank 0
  0..10    MPI_Barrier
  10..60   "TRACE BUFFER FLUSH"
  60..70   MPI_Barrier
rank 1
  0..10    MPI_Barrier
  10..70   MPI_Barrier
)");
  ASSERT_TRUE(report.recording.has_value());
  EXPECT_NEAR(report.recording->call_s, 100e-9, 1e-15);
  ASSERT_EQ(report.recording->ranks.size(), 2u);
  EXPECT_EQ(report.recording->ranks[0].calls, 2u);
  EXPECT_NEAR(report.recording->ranks[0].flush_s, 50e-9, 1e-15);
  EXPECT_NEAR(report.recording->ranks[0].total_s, 250e-9, 1e-15);
  EXPECT_NEAR(report.recording->ranks[1].total_s, 200e-9, 1e-15);
}

TEST(Recording, CostsPollsAndCallPathsByRank) {
  const char* const run = R"(
rank 0 failed_polls 30 path_walks 4000
  0..10    MPI_Barrier
rank 1 failed_polls 10
  0..10    MPI_Barrier
)";
  const Report report = report_of(
      std::string("property \"WAITPROF::CALL_COST\" 100\nproperty \"WAITPROF::POLL_COST\" 9\n") + run);
  ASSERT_TRUE(report.recording.has_value());
  EXPECT_NEAR(report.recording->poll_s, 9e-9, 1e-15);
  EXPECT_NEAR(report.recording->ranks[0].path_s, 4000e-9, 1e-15);
  EXPECT_NEAR(report.recording->ranks[0].total_s, (100 + 30 * 9 + 4000) * 1e-9, 1e-15);
  EXPECT_NEAR(report.recording->ranks[1].total_s, (100 + 10 * 9) * 1e-9, 1e-15);
  // Archives of older recorders have no facts about polls.
  const Report older = report_of(std::string("property \"WAITPROF::CALL_COST\" 100\n") + run);
  EXPECT_NEAR(older.recording->ranks[1].total_s, (100 + 10 * 100) * 1e-9, 1e-15);
}

TEST(Recording, CostIsNotKnownOfOtherRecorders) {
  EXPECT_FALSE(report_of("rank 0\n 0..10 MPI_Barrier\n").recording.has_value());
  EXPECT_FALSE(
      report_of("property \"WAITPROF::CALL_COST\" x\nrank 0\n 0..10 MPI_Barrier\n").recording.has_value());
}

TEST(Messages, OnOneChipAreReported) {
  const Report report = report_of(R"(
rank 0 node a package 0
  0..1  MPI_Send to 1 bytes 8
  1..2  MPI_Send to 2 bytes 8
  2..3  MPI_Send to 3 bytes 8
rank 1 node a package 0
  0..1  MPI_Recv from 0 bytes 8
rank 2 node a package 1
  0..2  MPI_Recv from 0 bytes 8
rank 3 node a
  0..3  MPI_Recv from 0 bytes 8
)",
                                  {.messages = true});
  ASSERT_EQ(report.message_sizes.size(), 1u);
  EXPECT_EQ(report.message_sizes[0].same_chip.messages, 1u);
  EXPECT_EQ(report.message_sizes[0].same_node.messages, 2u);
}

TEST(FileUse, IsByWhatTheFunctionDoes) {
  const FileUse use = file_use(parse_text(R"(
rank 0
  0..10   MPI_File_open
  10..40  dump/MPI_File_write_at_all  moves 4096
  40..50  MPI_File_iread_shared  moves 100
  50..60  MPI_Barrier
rank 0 thread 1
  0..30   dump/MPI_File_write_at_all  moves 4
)"));
  EXPECT_EQ(use.all.calls, 4u);
  EXPECT_EQ(use.all.time, Duration(80));
  EXPECT_EQ(use.all.written_bytes, 4100u);
  EXPECT_EQ(use.all.read_bytes, 100u);
  ASSERT_EQ(use.call_paths.size(), 3u);
  EXPECT_EQ(use.call_paths[0].sum.calls, 2u);
  EXPECT_EQ(use.call_paths[0].sum.time, Duration(60));
}

TEST(FileUse, IsNothingWithoutFiles) {
  EXPECT_EQ(file_use(parse_text("rank 0\n 0..10 MPI_Barrier\n")).all.calls, 0u);
}

}  // namespace
}  // namespace waitdiag
