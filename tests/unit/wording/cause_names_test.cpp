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

TEST(CauseName, NamesTheOperatorOfAFunctionObject) {
  const std::string path = "main/Handler::operator()(Departure const&) const/doze/nanosleep/(blocked)";
  const std::string function = "doze (blocked in nanosleep)";
  Report report;
  report.hotspots = {hotspot(path, function, 3)};
  EXPECT_EQ(cause_name(report, cause(path, function, "blocked")), "Handler::operator()/" + function);
}

TEST(CauseName, TellsFunctionsOfOneNameApartByTheirParameters) {
  const std::string path = "main/Handler::operator()(Departure const&) const/doze/nanosleep/(blocked)";
  const std::string other = "main/Handler::operator()(Arrival const&) const/doze/nanosleep/(blocked)";
  const std::string function = "doze (blocked in nanosleep)";
  Report report;
  report.hotspots = {hotspot(path, function, 3), hotspot(other, function, 3)};
  EXPECT_EQ(cause_name(report, cause(path, function, "blocked")),
            "Handler::operator()(Departure const&)/" + function);
  report.hotspots = {hotspot("main/void scale<2>(int)", "void scale<2>(int)", 3),
                     hotspot("main/void scale<2>(double)", "void scale<2>(double)", 3)};
  EXPECT_EQ(cause_name(report, cause("main/void scale<2>(int)", "void scale<2>(int)", "computation")),
            "scale<2>(int)");
}

TEST(CauseName, LeavesOutCallersThatAreFarAway) {
  const std::string callers = "/a/b/c/d/e/f/g/h/kernel";
  Report report;
  report.hotspots = {hotspot("main/one" + callers, "kernel", 3), hotspot("main/two" + callers, "kernel", 3)};
  EXPECT_EQ(cause_name(report, cause("main/one" + callers, "kernel", "computation")), "h/kernel()");
  const std::string fewer = callers.substr(2);
  report.hotspots = {hotspot("main/one" + fewer, "kernel", 3), hotspot("main/two" + fewer, "kernel", 3)};
  EXPECT_EQ(cause_name(report, cause("main/one" + fewer, "kernel", "computation")), "h/kernel()");
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
