// The parts of a call tree that stretches may have more of.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analyzer/diagnosis/activities/growth.hpp"
#include "analyzer/formats/notation/notation.hpp"

namespace waitdiag {
namespace {

// In the order of the tree.
Shares in_order(const CallTreeOrder& tree, const std::vector<CallPathId>& paths) {
  Shares shares;
  for (const CallPathId path : paths) shares.emplace_back(tree.place(path), 1);
  std::ranges::sort(shares);
  return shares;
}

using PathSet = std::set<CallPathId>;
std::set<PathSet> parts_of(const CallTreeOrder& tree, const std::vector<CallPathId>& paths) {
  const Shares shares = in_order(tree, paths);
  const PartsOfTree parts(tree, shares);
  std::set<PathSet> all;
  for (const PartsOfTree::Part part : parts.all()) {
    PathSet members;
    for (std::uint32_t i = part.first; i < part.last; ++i) members.insert(tree.path_at(shares[i].first));
    EXPECT_TRUE(all.insert(members).second) << "each once";
  }
  return all;
}

TEST(PartsOfTree, WhatHasNoCallPathStandsAlone) {
  const Trace trace = parse_text(R"(
    rank 0
       0..10  main/solve/eos
      10..20  main/solve/flux
      20..21  main/MPI_Barrier)");
  std::vector<CallPathId> paths{kNoCallPath};
  for (std::uint32_t path = 0; path < trace.call_paths().size(); ++path)
    if (const std::string name = trace.call_path_name(CallPathId(path));
        name.ends_with("eos") || name.ends_with("flux"))
      paths.push_back(CallPathId(path));
  ASSERT_EQ(paths.size(), 3);
  EXPECT_THAT(parts_of(CallTreeOrder(trace), paths),
              testing::UnorderedElementsAre(PathSet{kNoCallPath}, PathSet{paths[1]}, PathSet{paths[2]},
                                            PathSet{paths[1], paths[2]}));
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
    std::vector<CallPathId> paths;
    for (std::uint32_t path = 0; path < trace.call_paths().size(); ++path)
      if (dice() % 3 == 0) paths.push_back(CallPathId(path));
    std::map<CallPathId, PathSet> below;
    std::set<PathSet> expected;
    for (const CallPathId path : paths) {
      if (paths.size() > 1) expected.insert({path});
      for (CallPathId at = path; at != kNoCallPath; at = trace.call_paths()[index(at)].parent)
        below[at].insert(path);
    }
    for (const auto& [node, part] : below)
      if (part.size() < paths.size()) expected.insert(part);
    EXPECT_EQ(parts_of(CallTreeOrder(trace), paths), expected);
  }
}

}  // namespace
}  // namespace waitdiag
