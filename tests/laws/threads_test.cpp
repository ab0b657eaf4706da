// The number of threads cannot be seen in a report, not in its last bit.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "analyzer/diagnose.hpp"
#include "analyzer/parallel/parallel.hpp"
#include "analyzer/read/read.hpp"
#include "analyzer/report/json.hpp"
#include "tests/laws/contradictory_trace.hpp"
#include "tests/laws/random_run.hpp"
#include "tests/support/generated_run.hpp"

namespace waitdiag::test {
namespace {

namespace fs = std::filesystem;

std::string json_of(const Trace& trace, const DiagnosisOptions& options, unsigned threads) {
  const ThreadLimit limit(threads);
  Stages stages;
  std::ostringstream json;
  write_json(diagnose(trace, options, stages), json);
  return json.str();
}

void expect_same_with_any_threads(const Trace& trace) {
  for (const DiagnosisOptions& options : {DiagnosisOptions{}, DiagnosisOptions{.model = Model::CwpDm},
                                          DiagnosisOptions{.rules = Rules::Scalasca}}) {
    EXPECT_EQ(json_of(trace, options, 1), json_of(trace, options, 0));
  }
}

TEST(Threads, CannotBeSeenInReportsOfRandomRuns) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    expect_same_with_any_threads(RandomRun({.seed = seed, .ranks = 7, .sampled = seed % 2 == 0}).trace());
    expect_same_with_any_threads(contradictory_trace(seed));
  }
}

// Long enough for several blocks of epochs.
TEST(Threads, CannotBeSeenInReportsOfArchives) {
  const fs::path directory = fs::path(::testing::TempDir()) / "threads_archive";
  for (const auto style : {testing::RunStyle::Unwound, testing::RunStyle::Instrumented}) {
    fs::remove_all(directory);
    testing::write_generated_run(directory, {.style = style, .ranks = 12, .steps = 1200});
    const auto read = [&](unsigned threads) {
      const ThreadLimit limit(threads);
      return read_archive(directory);
    };
    const Trace trace = read(0);
    std::ostringstream one, many;
    write_text(read(1), one);
    write_text(trace, many);
    EXPECT_EQ(one.str(), many.str());
    expect_same_with_any_threads(trace);
  }
  fs::remove_all(directory);
}

}  // namespace
}  // namespace waitdiag::test
