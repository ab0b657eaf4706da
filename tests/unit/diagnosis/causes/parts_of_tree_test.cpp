// The parts of a call tree that stretches may have more of.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "analyzer/diagnosis/causes/growth.hpp"
#include "analyzer/trace/read/read.hpp"

namespace waitdiag {
namespace {

TEST(PartsOfTree, WhatHasNoCallPathStandsAlone) {
  const Trace trace = parse_text(R"(
    rank 0
       0..10  main/solve/eos
      10..20  main/solve/flux
      20..21  main/MPI_Barrier)");
  Shares shares = {{kNoCallPath, 0.5}};
  for (std::uint32_t path = 0; path < trace.call_paths().size(); ++path)
    if (const std::string name = trace.call_path_name(CallPathId(path));
        name.ends_with("eos") || name.ends_with("flux"))
      shares.push_back({CallPathId(path), 0.25});
  const PartsOfTree parts(trace, shares);
  std::vector<std::vector<std::uint32_t>> all;
  for (std::size_t part = 0; part < parts.size(); ++part)
    all.emplace_back(parts[part].begin(), parts[part].end());
  EXPECT_THAT(all, testing::UnorderedElementsAre(testing::ElementsAre(0), testing::ElementsAre(1),
                                                 testing::ElementsAre(2), testing::ElementsAre(1, 2)));
}

}  // namespace
}  // namespace waitdiag
