// A report does not depend on the number of threads, not even in its last bit.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>
#include <vector>

#include "analyzer/formats/notation/notation.hpp"
#include "analyzer/formats/read/read.hpp"
#include "analyzer/summary/make_report.hpp"
#include "analyzer/trace/parallel/parallel.hpp"
#include "analyzer/writers/json/json.hpp"
#include "tests/laws/contradictory_trace.hpp"
#include "tests/laws/random_run.hpp"
#include "tests/support/generated/generated_run.hpp"

namespace waitdiag::test {
namespace {

namespace fs = std::filesystem;

std::string json_of(const Trace& trace, const DiagnosisOptions& options, unsigned threads) {
  const ThreadLimit limit(threads);
  Stages stages;
  std::ostringstream json;
  write_json(make_report(trace, options, stages), json);
  return json.str();
}

const std::vector<DiagnosisOptions> kAllOptions{{}, {.model = Model::CwpDm}, {.rules = Rules::Scalasca}};

void expect_same_with_any_threads(const Trace& trace,
                                  const std::vector<DiagnosisOptions>& all = kAllOptions) {
  for (const DiagnosisOptions& options : all)
    EXPECT_EQ(json_of(trace, options, 1), json_of(trace, options, 0));
}

// Otherwise the laws below would compare a thing with itself.
TEST(Threads, OneIsOne) {
  const ThreadLimit limit(1);
  std::vector<std::thread::id> workers(64);
  for_each_index(workers.size(), [&](std::size_t i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    workers[i] = std::this_thread::get_id();
  });
  for (const std::thread::id worker : workers) EXPECT_EQ(worker, std::this_thread::get_id());
}

TEST(Threads, CannotBeSeenInReportsOfRandomRuns) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    expect_same_with_any_threads(RandomRun({.seed = seed, .ranks = 7, .sampled = seed % 2 == 0}).trace());
    expect_same_with_any_threads(contradictory_trace(seed));
  }
}

// Long enough for several blocks of epochs, and for more waits than are compared at a time.
TEST(Threads, CannotBeSeenInReportsOfArchives) {
  const fs::path directory =
      fs::path(::testing::TempDir()) / ("threads_archive_" + std::to_string(::getpid()));
  for (const auto style : {fixtures::RunStyle::Unwound, fixtures::RunStyle::Instrumented}) {
    fs::remove_all(directory);
    fixtures::write_generated_run(directory, {.style = style, .ranks = 12, .steps = 1600});
    const auto read = [&](unsigned threads) {
      const ThreadLimit limit(threads);
      return read_archive(directory);
    };
    const Trace trace = read(0);
    std::ostringstream one, many;
    write_text(read(1), one);
    write_text(trace, many);
    EXPECT_EQ(one.str(), many.str());
    const bool unwound = style == fixtures::RunStyle::Unwound;
    expect_same_with_any_threads(trace, {{.model = unwound ? Model::HCwpDm : Model::CwpDm}});
  }
  fs::remove_all(directory);
}

}  // namespace
}  // namespace waitdiag::test
