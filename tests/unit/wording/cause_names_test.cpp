// What causes are called: with the callers that matter.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/wording/cause_names.hpp"

namespace waitdiag {
namespace {

Report::Hotspot hotspot(const std::string& call_path, const std::string& function, double seconds) {
  Report::Hotspot row;
  row.call_path = call_path;
  row.function = function;
  row.seconds = seconds;
  return row;
}

Report::Cause cause(const std::string& call_path, const std::string& function, const std::string& kind) {
  Report::Cause result;
  result.call_path = call_path;
  result.function = function;
  result.kind = kind;
  return result;
}

TEST(CauseName, NamesTheCallerThatDoesNothingElse) {
  Report report;
  report.hotspots = {hotspot("main/solve/spin", "spin", 3), hotspot("main/MPI_Barrier", "MPI_Barrier", 2)};
  const Report::Cause spins = cause("main/solve/spin", "spin", "computation");
  EXPECT_EQ(cause_name(report, spins), "solve/spin()");
  report.hotspots.push_back(hotspot("main/solve/MPI_Allreduce", "MPI_Allreduce", 1));
  EXPECT_EQ(cause_name(report, spins), "spin()");
}

TEST(CauseName, NamesTheCallerOfWhatOnlySleeps) {
  const std::string path = "main/solve/ms/nanosleep/(blocked)", function = "ms (blocked in nanosleep)";
  Report report;
  report.hotspots = {hotspot(path, function, 3), hotspot("main/MPI_Barrier", "MPI_Barrier", 2)};
  EXPECT_EQ(cause_name(report, cause(path, function, "blocked")), "solve/ms (blocked in nanosleep)");
  const std::string in_main = "main/ms/nanosleep/(blocked)";
  report.hotspots = {hotspot(in_main, function, 3)};
  EXPECT_EQ(cause_name(report, cause(in_main, function, "blocked")), function);
}

TEST(CauseName, NamesTheCallersThatTellCausesApart) {
  Report report;
  report.hotspots = {hotspot("main/good/kernel/spin", "spin", 3), hotspot("main/bad/kernel/spin", "spin", 3)};
  EXPECT_EQ(cause_name(report, cause("main/bad/kernel/spin", "spin", "computation")), "bad/kernel/spin()");
}

TEST(CauseName, LeavesOutOtherCallers) {
  Report report;
  report.hotspots = {hotspot("main/step/step/spin", "spin", 3), hotspot("main/walk/walk", "walk", 3)};
  EXPECT_EQ(cause_name(report, cause("main/walk/walk", "walk", "computation")), "walk()");
  EXPECT_EQ(cause_name(report, cause("main/solve/MPI_Send", "MPI_Send", "communication")), "MPI_Send()");
  EXPECT_EQ(cause_name(report, cause("main/.../walk (9 call paths)", "walk", "computation")), "walk()");
}

}  // namespace
}  // namespace waitdiag
