// Which links messages pass in a torus, a dragonfly and a fat tree; what machine files say of them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "analyzer/simulation/machine/machine.hpp"
#include "analyzer/simulation/machine/machine_text.hpp"
#include "analyzer/simulation/replay/routes.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

using ::testing::HasSubstr;
using Kind = Topology::Kind;

std::vector<std::uint32_t> links_between(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  const Topology::Path path = topology.path(from, to);
  return {path.link.begin(), path.link.begin() + path.hops};
}

TEST(Topology, AMessageInATorusGoesTheShorterWayAround) {
  const Topology torus{Kind::Torus, {4, 3}};
  EXPECT_EQ(links_between(torus, 0, 1).size(), 1u);
  EXPECT_EQ(links_between(torus, 0, 3).size(), 1u);          // around
  EXPECT_EQ(links_between(torus, 0, 2).size(), 2u);          // either way
  EXPECT_EQ(links_between(torus, 1, 2 + 4 * 2).size(), 2u);  // along both dimensions
  EXPECT_EQ(links_between(torus, 5, 5).size(), 0u);
}

TEST(Topology, BothDirectionsOfALinkBelongTogether) {
  for (const Topology& topology : {Topology{Kind::Torus, {5}}, Topology{Kind::Dragonfly, {3, 3, 1}}})
    for (std::uint32_t a = 0; a < topology.units(); ++a)
      for (std::uint32_t b = 0; b < topology.units(); ++b) {
        const std::vector<std::uint32_t> there = links_between(topology, a, b),
                                         back = links_between(topology, b, a);
        ASSERT_EQ(there.size(), back.size());
        for (std::size_t hop = 0; hop < there.size(); ++hop) {
          EXPECT_EQ(there[hop] ^ 1, back[back.size() - 1 - hop]) << a << " to " << b;
          EXPECT_LT(there[hop], topology.links(topology.units()));
        }
      }
}

TEST(Topology, ADragonflyTakesAtMostOneLinkBetweenGroups) {
  const Topology fly{Kind::Dragonfly, {4, 4, 2}};
  EXPECT_EQ(links_between(fly, 0, 1).size(), 0u);  // one router
  EXPECT_EQ(links_between(fly, 0, 2).size(), 1u);  // one group
  EXPECT_EQ(links_between(fly, 2, 8).size(), 1u);  // router 1 of group 0, router 0 of group 1
  EXPECT_EQ(links_between(fly, 0, 10).size(), 3u);
}

TEST(Topology, ReceiversOfAFatTreeShareItsUpLinks) {
  const Topology tree{Kind::FatTree, {4, 2}};
  EXPECT_EQ(links_between(tree, 0, 3).size(), 0u);
  EXPECT_EQ(links_between(tree, 0, 4).front(), links_between(tree, 1, 6).front());
  EXPECT_NE(links_between(tree, 0, 4).front(), links_between(tree, 1, 5).front());
}

constexpr char kTorus[] = R"(
[[level]]
name = "node"
topology = "torus"
extents = [4, 4]
sharing = "none"
bandwidth = "1 GB/s"
latency = "1 us"
hop_latency = "2 us"
)";

TEST(Topology, EachLinkTakesItsLatency) {
  const Machine machine = parse_machine(kTorus, "torus.toml");
  const Placement placement(machine, 16);
  const Routes routes(machine, placement);
  EXPECT_DOUBLE_EQ(routes.cost(0, 1, 8).latency_ns, 3000);
  EXPECT_DOUBLE_EQ(routes.cost(0, 10, 8).latency_ns, 9000);
  EXPECT_EQ(routes.find(0, 10, 8).links, 4u);
}

TEST(Topology, MachineFilesAreReadBack) {
  const Machine machine = parse_machine(kTorus, "torus.toml");
  EXPECT_EQ(machine.levels.front().units, 16u);
  const std::string text = machine_text(machine, {});
  EXPECT_EQ(machine_text(parse_machine(text, "again.toml"), {}), text);
}

std::string complaint_about(const std::string& lines) {
  try {
    parse_machine("[[level]]\nname = \"node\"\nbandwidth = \"1 GB/s\"\n" + lines, "m.toml");
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

TEST(Topology, ComplaintsSayWhatIsMissing) {
  EXPECT_THAT(complaint_about("topology = \"torus\""), HasSubstr("a torus needs extents"));
  EXPECT_THAT(complaint_about("topology = \"dragonfly\"\nextents = [2, 2]"), HasSubstr("3 extents"));
  EXPECT_THAT(complaint_about("extents = [2, 2]"), HasSubstr("extents is about a topology"));
  EXPECT_THAT(complaint_about("topology = \"torus\"\nextents = [70]"), HasSubstr("16 links"));
  EXPECT_THAT(complaint_about("topology = \"torus\"\nextents = [4]\nunits = 5"), HasSubstr("leave them out"));
}

}  // namespace
}  // namespace waitdiag
