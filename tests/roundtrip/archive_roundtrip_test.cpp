// The law of the archive writer: what was written and read again is the same run.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "analyzer/read/read.hpp"
#include "analyzer/write/write_archive.hpp"
#include "tests/laws/random_run.hpp"
#include "tests/roundtrip/same_trace.hpp"
#include "tests/support/temporary_directory.hpp"

namespace waitdiag::test {
namespace {

class WrittenRuns : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(WrittenRuns, AreReadBack) {
  for (const bool sampled : {false, true}) {
    const Trace trace = RandomRun({.seed = GetParam(), .sampled = sampled}).trace({.shift = -5000});
    const TemporaryDirectory directory;
    const std::string archive = (directory.path() / "archive").string();
    EXPECT_EQ(write_archive(trace, archive, "test"), 0u);
    EXPECT_TRUE(same_run(trace, read_archive(archive)));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, WrittenRuns, ::testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace waitdiag::test
