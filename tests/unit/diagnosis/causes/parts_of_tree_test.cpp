// The parts of a call tree that stretches may have more of.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

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
  const PartsOfTree parts(CallTreeOrder(trace), shares);
  std::vector<std::vector<std::uint32_t>> all;
  for (std::size_t part = 0; part < parts.size(); ++part)
    all.emplace_back(parts[part].begin(), parts[part].end());
  EXPECT_THAT(all, testing::UnorderedElementsAre(testing::ElementsAre(0), testing::ElementsAre(1),
                                                 testing::ElementsAre(2), testing::ElementsAre(1, 2)));
}

std::set<std::vector<std::uint32_t>> parts_of(const Trace& trace, const Shares& shares) {
  const PartsOfTree parts(CallTreeOrder(trace), shares);
  std::set<std::vector<std::uint32_t>> all;
  for (std::size_t part = 0; part < parts.size(); ++part)
    EXPECT_TRUE(all.emplace(parts[part].begin(), parts[part].end()).second) << "each once";
  return all;
}

// All that lie below any node of a tree, asked of each path and each node above it.
TEST(PartsOfTree, AreThoseBelowAnyNodeOfAnyTree) {
  std::minstd_rand dice(1);
  for (int round = 0; round < 50; ++round) {
    std::string text = "rank 0\n";
    for (int i = 0; i < 40; ++i) {
      std::string path = "f" + std::to_string(dice() % 2);
      for (auto depth = dice() % 12; depth > 0; --depth) path += "/g" + std::to_string(dice() % 2);
      text += std::to_string(10 * i) + ".." + std::to_string(10 * i + 10) + " " + path + "\n";
    }
    const Trace trace = parse_text(text + "400..401 f0/MPI_Barrier\n");
    Shares shares;
    for (std::uint32_t path = 0; path < trace.call_paths().size(); ++path)
      if (dice() % 3 == 0) shares.push_back({CallPathId(path), 1});
    std::map<CallPathId, std::vector<std::uint32_t>> below;
    std::set<std::vector<std::uint32_t>> expected;
    for (std::uint32_t i = 0; i < shares.size(); ++i) {
      if (shares.size() > 1) expected.insert({i});
      for (CallPathId at = shares[i].first; at != kNoCallPath; at = trace.call_paths()[index(at)].parent)
        below[at].push_back(i);
    }
    for (const auto& [node, part] : below)
      if (part.size() < shares.size()) expected.insert(part);
    EXPECT_EQ(parts_of(trace, shares), expected);
  }
}

}  // namespace
}  // namespace waitdiag
