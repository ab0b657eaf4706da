// From the messages of a run back to its array.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/results/grids.hpp"
#include "analyzer/scaling/grid/grid_program.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/places.hpp"

namespace waitdiag {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Five steps on 2 x 2 ranks, each with 6 x 10 elements of 8 bytes: 80 bytes to the rank below, 48 to the one
// beside it, 60 ns of computation, one reduction.
std::string halo_run(int odd_peer) {
  std::string text;
  for (int rank = 0; rank < 4; ++rank) {
    text += "rank " + std::to_string(rank) + "\n";
    for (int step = 0; step < 5; ++step) {
      int now = step * 100;
      const auto line = [&](const std::string& what) {
        text += std::to_string(now) + ".." + std::to_string(now + 5) + "  " + what + "\n";
        now += 5;
      };
      for (const int stride : {2, 1}) {
        const int peer = rank ^ (rank == 0 && stride == 1 ? odd_peer : stride);
        line("main/MPI_Sendrecv to " + std::to_string(peer) + " tag 1 bytes " + (stride == 2 ? "80" : "48") +
             " from " + std::to_string(peer) + " tag 1");
      }
      text += std::to_string(now) + ".." + std::to_string(now + 60) + "  main/solve\n";
      now += 60;
      line("main/MPI_Allreduce bytes 32");
    }
  }
  return text;
}

GridProgram program_in(const std::string& text, const ArrayFacts& facts) {
  const Trace trace = parse_text(text);
  return recorded_program(trace, match(trace), find_steps(trace), facts);
}

std::string complaint_of(const std::string& text, const ArrayFacts& facts = {}) {
  try {
    program_in(text, facts);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

TEST(RecordedProgram, KnowsItsArrayByItsMessages) {
  const GridProgram program = program_in(halo_run(1), {});
  EXPECT_THAT(program.size, ElementsAre(12, 20));
  EXPECT_EQ(program.iterations, 5u);
  EXPECT_FALSE(program.periodic);
  EXPECT_THAT(program.reductions, ElementsAre(8));
  // 60 ns and the time between the calls of two steps, on 4 ranks, divided by 240 elements.
  EXPECT_NEAR(program.element_ns, 4.0 * (60 + 4.0 / 5 * 25) / 240, 0.2);
  EXPECT_THAT(program.notes.front(), HasSubstr("recorded on 2 x 2 ranks"));
}

TEST(RecordedProgram, TakesTheGivenArray) {
  EXPECT_THAT(program_in(halo_run(1), {.size = {30, 40}}).size, ElementsAre(30, 40));
}

TEST(RecordedProgram, RefusesWhatIsNoGrid) {
  EXPECT_THAT(complaint_of(halo_run(3)), HasSubstr("no grid of 4 ranks has exactly the recorded messages"));
  EXPECT_THAT(complaint_of("rank 0\n0..5 work\n"), HasSubstr("one rank"));
  EXPECT_THAT(complaint_of("rank 0\n0..5 MPI_Barrier\nrank 1\n0..5 MPI_Barrier\n"),
              HasSubstr("no time steps"));
  EXPECT_THAT(complaint_of(halo_run(1), {.element_bytes = 1000}), HasSubstr("too small"));
  EXPECT_THAT(complaint_of(halo_run(1), {.element_bytes = 1, .halo = 1}),
              HasSubstr("give its sizes with --array"));
}

TEST(GridsJson, KeepsToItsSchema) {
  GridReport report{.program = "p", .machine = "m", .method = "bound", .array = {10, 20}, .halo = {1, 1}};
  report.element_bytes = 8;
  report.iterations = report.most_ranks = 4;
  report.best.push_back({.grid = {2, 2}, .predicted_s = 1, .efficiency = 0.9, .uniformity = 1, .grids = 8});
  report.tried.push_back({.grid = {2, 2}, .predicted_s = 1, .efficiency = 0.9});
  std::ostringstream out;
  write_json(report, out);
  EXPECT_EQ(test::schema_complaints(test::grids_schema(), nlohmann::json::parse(out.str())), "");
}

}  // namespace
}  // namespace waitdiag
