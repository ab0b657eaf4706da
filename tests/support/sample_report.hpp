// Reports filled by hand, with figures that can be checked by mental arithmetic.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "analyzer/results/report.hpp"

namespace waitdiag::test {

inline std::vector<Report::Wait> waits_of_imbalanced_solver() {
  Report::Wait late_sender;
  late_sender.pattern = "late_sender";
  late_sender.title = "Late Sender";
  late_sender.summary = "A receive waited because its message was sent late.";
  late_sender.total_s = 150;
  late_sender.count = 48'000;
  for (std::int64_t rank = 0; rank < 60; ++rank) late_sender.by_rank.push_back({rank, 2.5});
  late_sender.by_call_path = {{"main/solve/exchange/MPI_Recv", 150}};
  Report::Wait wrong_order;
  wrong_order.pattern = "late_sender_wrong_order";
  wrong_order.title = "Late Sender, wrong order";
  wrong_order.waiting = false;
  wrong_order.part_of = "late_sender";
  wrong_order.total_s = 30;
  wrong_order.count = 100;
  wrong_order.by_rank = {{3, 30}};
  Report::Wait allreduce;
  allreduce.pattern = "wait_at_nxn";
  allreduce.title = "Wait at NxN";
  allreduce.summary = "An all-to-all operation waited for the last rank.";
  allreduce.total_s = 50;
  allreduce.count = 640;
  allreduce.by_rank = {{0, 25}, {7, 25}};
  allreduce.by_call_path = {{"main/solve/MPI_Allreduce", 50}};
  return {late_sender, wrong_order, allreduce};
}

inline std::vector<Report::Cause> causes_of_imbalanced_solver() {
  return {{.call_path = "main/solve/assemble_rhs",
           .function = "assemble_rhs",
           .file = "rhs.f90",
           .line = 212,
           .kind = "computation",
           .waiting_s = 160,
           .direct_s = 160,
           .indirect_s = 0,
           .excess_s = 8,
           .share_of_waiting = 0.8,
           .ranks = {{13, 41}, {12, 40}, {14, 40}, {15, 39}},
           .patterns = {{"late_sender", 150}, {"wait_at_nxn", 10}}},
          {.call_path = "main/write_checkpoint",
           .function = "write_checkpoint",
           .file = "io.c",
           .line = 88,
           .kind = "computation",
           .waiting_s = 20,
           .direct_s = 15,
           .indirect_s = 5,
           .excess_s = 1.5,
           .share_of_waiting = 0.1,
           .ranks = {{0, 20}},
           .patterns = {{"wait_at_nxn", 20}}}};
}

// 64 ranks run 10 s each: 640 s, of which 200 s are waiting; 160 s of it caused by ranks 12 to 15.
inline Report imbalanced_solver() {
  Report report;
  report.run = {.program = "solver",
                .mpi = "MPICH 4.0.2",
                .creator = "libwaitprof 0.1.0",
                .rules = "waitprof",
                .model = "h-cwp-dm",
                .interval = "causal",
                .hotspot_threshold = 0.01,
                .ranks = 64,
                .threads = 64,
                .nodes = 2,
                .events = 3'100'000,
                .mpi_calls = 1'024'000,
                .messages = 64'000,
                .collectives = 1'000,
                .runtime_s = 10.0,
                .sampling = "cpu"};
  report.time = {.total_s = 640, .computation_s = 400, .mpi_s = 240, .waiting_s = 200};
  report.efficiency = {.parallel = 0.625,
                       .load_balance = 0.68,
                       .communication = 0.919,
                       .serialisation = 0.95,
                       .transfer = 0.967,
                       .method = "waits"};
  report.waits = waits_of_imbalanced_solver();
  report.hotspots = {{.call_path = "main/solve/assemble_rhs",
                      .function = "assemble_rhs",
                      .file = "rhs.f90",
                      .line = 212,
                      .share = 0.25,
                      .seconds = 160,
                      .visits = 0,
                      .by_rank = {{12, 40}, {13, 40}, {14, 40}, {15, 40}}}};
  report.causes = causes_of_imbalanced_solver();
  report.explained_s = 180;
  report.unexplained_s = 20;
  report.remainders = {
      {.id = "not_hotspot", .text = "caused by functions below the hotspot threshold.", .seconds = 20}};
  return report;
}

// The same program after the repair: 2 % waiting, no cause.
inline Report healthy_solver() {
  Report report = imbalanced_solver();
  report.time = {.total_s = 640, .computation_s = 610, .mpi_s = 30, .waiting_s = 12.8};
  report.efficiency = {.parallel = 0.953,
                       .load_balance = 0.98,
                       .communication = 0.972,
                       .serialisation = 0.985,
                       .transfer = 0.987,
                       .method = "waits"};
  report.waits.clear();
  report.causes.clear();
  report.remainders.clear();
  report.explained_s = report.unexplained_s = 0;
  return report;
}

}  // namespace waitdiag::test
