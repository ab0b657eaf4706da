// Reports made by hand: a check has to find what was put in.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "analyzer/nightly/check/check.hpp"

namespace waitdiag::test {

// Four ranks, 40 s; rank 3 spends `late` seconds more than the others in assemble_rhs(), and they wait for
// it.
inline Report solver(double late, double noise) {
  Report report;
  report.run.program = "bin/solver";
  report.run.mpi = "MPICH 4.0.2";
  report.run.rules = "waitprof";
  report.run.model = "h-cwp-dm";
  report.run.ranks = report.run.threads = 4;
  report.run.nodes = 1;
  report.run.runtime_s = 40 * (1 + noise) + late;
  report.run.messages = 200;
  report.run.message_bytes = 1600;
  report.call_sites = {{"main/exchange/MPI_Sendrecv", 200}, {"main/poll/MPI_Test", 77}};
  report.time = {.total_s = 4 * report.run.runtime_s,
                 .computation_s = 150 * (1 + noise) + late,
                 .mpi_s = 10 + 3 * late,
                 .waiting_s = 4 + 3 * late};
  report.efficiency.parallel = report.time.computation_s / report.time.total_s;
  report.efficiency.load_balance = report.efficiency.communication = 0.9;
  Report::Cause& cause = report.causes.emplace_back();
  cause.call_path = "main/assemble_rhs";
  cause.function = "assemble_rhs";
  cause.file = "src/rhs.f90";
  cause.line = 212;
  cause.kind = "computation";
  cause.waiting_s = 1 + 3 * late;
  cause.ranks = {{3, 1 + 3 * late}};
  return report;
}

inline std::vector<StoredRun> night(const std::string& time, double late, const std::vector<double>& noise) {
  std::vector<StoredRun> runs;
  for (const double one : noise) {
    Report report = solver(late, one);
    const Fingerprint fingerprint = fingerprint_of(report, {});
    runs.push_back({time, "c" + time.substr(8, 2), fingerprint, report});
  }
  return runs;
}

// Ten nights of five runs with at most 1 % noise, as the store has them.
inline Store ten_nights() {
  Store store;
  for (int day = 10; day < 20; ++day) {
    const double first = 0.001 * (day % 4);
    for (StoredRun& run : night("2026-11-" + std::to_string(day) + "T02:00:00Z", 0,
                                {first, -0.004, 0.006, -0.009 + first, 0.002}))
      store.runs.push_back(std::move(run));
  }
  return store;
}

inline TonightsRuns tonight(double late) {
  return {"lid64", night("2026-11-20T02:00:00Z", late, {0.001, -0.005, 0.004, 0.007, -0.002})};
}

}  // namespace waitdiag::test
