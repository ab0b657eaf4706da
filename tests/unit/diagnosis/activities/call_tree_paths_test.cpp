// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/activities/call_tree_paths.hpp"

#include <gtest/gtest.h>

#include "analyzer/diagnosis/activities/activities.hpp"
#include "tests/unit/diagnosis/diagnosis_support.hpp"

namespace waitdiag {
namespace {

// What a reader of a report types after --balance.
TEST(CallPathsNamed, UnderstandsNamesInFullAndAsReportsShortenThem) {
  const Trace trace = parse_text(R"text(
    rank 0
      0..1 main/"solve<std::vector<double, std::allocator<double> >, 3>"
      1..2 main/"Field::operator()(int, int)"
      2..3 main/MPI_Barrier)text");
  const auto pieces = trace.timeline(Location(0)).pieces(0);
  for (const char* name : {"solve<std::vector<double, std::allocator<double> >, 3>",
                           "solve<std::vector<...>, 3>", "main/solve<std::vector<...>, 3>"}) {
    const std::vector<bool> meant = call_paths_named(trace, name);
    EXPECT_TRUE(meant[index(pieces[0].call_path)]) << name;
    EXPECT_FALSE(meant[index(pieces[1].call_path)]) << name;
  }
  EXPECT_TRUE(call_paths_named(trace, "Field::operator()")[index(pieces[1].call_path)]);
}

// Nothing else is known about a stretch without samples: it belongs to the function that made both calls.
TEST(InnermostCommonCaller, IsTheFunctionWhereTwoCallsAreInDifferentLines) {
  const Trace trace = parse_text(R"(
    rank 0
      0..1 main@3/step@10/MPI_Barrier
      9..10 main@3/step@11/MPI_Barrier
      19..20 main@4/step@11/MPI_Barrier)");
  const Timeline& timeline = trace.timeline(Location(0));
  const auto common = [&](std::uint32_t first, std::uint32_t second) {
    return trace.call_path_name(
        innermost_common_caller(trace, timeline.call_path(first), timeline.call_path(second)));
  };
  EXPECT_EQ(common(0, 1), "main/step");
  EXPECT_EQ(common(1, 2), "main");
  EXPECT_EQ(common(1, 1), "main/step");
}

// Two calls of the same function in one gap are one activity.
TEST(Activities, DoNotTellLinesApart) {
  const Trace trace = parse_text(R"(
    rank 0
      0..5 main@3/solve
      5..9 main@4/solve
      9..10 main@5/MPI_Barrier)");
  const Activities activities(trace);
  const Timeline& timeline = trace.timeline(Location(0));
  ASSERT_EQ(timeline.pieces(0).size(), 2u);
  EXPECT_NE(timeline.pieces(0)[0].call_path, timeline.pieces(0)[1].call_path);
  EXPECT_EQ(activities.slot(timeline.pieces(0)[0].call_path),
            activities.slot(timeline.pieces(0)[1].call_path));
}

}  // namespace
}  // namespace waitdiag
