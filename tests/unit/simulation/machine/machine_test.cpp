// Machine files, mappings, tables of collectives: what is understood, and what is said about the rest.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/simulation/machine/collective_table.hpp"
#include "analyzer/simulation/machine/placement.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename Call>
std::string complaint(Call call) {
  try {
    call();
  } catch (const TraceError& error) {
    return error.what();
  }
  return "none";
}
std::string about(const std::string& toml) {
  return complaint([&] { parse_machine(toml, "m.toml"); });
}

TEST(MachineFile, IsReadWithItsUnits) {
  const Machine machine = parse_machine(R"(
name = "two nodes"
compute_scale = 0.5
eager = "64 KiB"
detached = "unlimited"
mapping = "cyclic"
[[compute]]
first_rank = 2
last_rank = 3
scale = 1.5
[[compute]]
call_path = "solve"
scale = 2
[[overhead]]
send = "0.5 us"
[[level]]
name = "node"
units = 2
channels = 2
latency = "5 us"
bandwidth = "1 GB/s"
[[level.interval]]
bandwidth = "500 MB/s"
[[level.interval]]
from = "1 KiB"
latency = "7 us"
[[level]]
name = "core"
units = 4
sharing = "bus"
latency = "0 ns"
bandwidth = "80 Gbit/s"
)",
                                        "m.toml");
  EXPECT_EQ(machine.name, "two nodes");
  EXPECT_EQ(machine.eager_bytes, 65536u);
  EXPECT_EQ(machine.detached_bytes, UINT64_MAX);
  EXPECT_EQ(machine.mapping, Mapping::Cyclic);
  EXPECT_EQ(machine.rank_scales.at(0).last, 3u);
  EXPECT_EQ(machine.call_path_scales.at(0).scale, 2);
  EXPECT_EQ(machine.overheads.at(0).isend_ns, 500);  // like send, unless given
  const MachineLevel& node = machine.levels.at(0);
  EXPECT_EQ(node.channel_ns_per_byte, 1);
  EXPECT_EQ(interval_of(node, 1023)->ns_per_byte, 2);
  EXPECT_EQ(interval_of(node, 1023)->latency_ns, 5000);
  EXPECT_EQ(interval_of(node, 1024)->ns_per_byte, 1);
  EXPECT_EQ(interval_of(node, 1024)->latency_ns, 7000);
  EXPECT_EQ(machine.levels.at(1).intervals.at(0).ns_per_byte, 0.1);
}

TEST(MachineFile, MayHaveNoEagerMessagesAndPortsThatAreNotQuiteDuplex) {
  const Machine machine = parse_machine(
      "eager = \"none\"\ndetached = 100\n[[level]]\nname = \"n\"\nlatency = \"1 us\"\nbandwidth = \"1 "
      "GB/s\"\n"
      "opposite = 0.05\nclaim = 0.5\n",
      "m");
  EXPECT_FALSE(machine.eager);
  EXPECT_EQ(machine.detached_bytes, 100u);
  EXPECT_EQ(machine.levels.at(0).opposite, 0.05);
  EXPECT_EQ(machine.levels.at(0).claim, 0.5);
}

TEST(MachineFile, ComplaintsHaveLineAndColumn) {
  EXPECT_THAT(about("name = \"x\nmapping"), HasSubstr("m.toml:1:"));
  EXPECT_EQ(about("eager = \"1 parsec\""),
            "m.toml:1:9: eager is a number of bytes such as 1024 or \"64 KiB\", or \"unlimited\"");
  EXPECT_EQ(about("mapping = \"random\""), "m.toml:1:11: mapping is one of block, cyclic");
  EXPECT_THAT(about("latency = \"1 us\""),
              HasSubstr("m.toml:1:11: nothing here is called latency; known are name"));
  const std::string level_a = "[[level]]\nname = \"a\"\nlatency = \"0 ns\"\nbandwidth = \"unlimited\"\n";
  EXPECT_THAT(about("[[level]]\nname = \"a\"\nbandwidth = \"1 GB/s\"\n"),
              HasSubstr("level a needs a latency"));
  EXPECT_THAT(about("[[level]]\nname = \"a\"\nlatency = \"1 us\"\n"), HasSubstr("level a needs a bandwidth"));
  EXPECT_THAT(about(level_a + "[[level]]\nname = \"b\"\n"), HasSubstr("level b needs units"));
  EXPECT_THAT(about("[[level]]\nunits = 2\n"), HasSubstr("a level needs a name"));
  EXPECT_THAT(about("[[level]]\nname = \"a\"\nunits = -1\n"),
              HasSubstr("m.toml:3:9: units is a number from 1"));
  EXPECT_THAT(about("[[level]]\nname = \"a\"\nunits = 1.5\n"), HasSubstr("units is a whole number"));
  EXPECT_THAT(about("[[level]]\nname = \"a\"\nbandwidth = \"0 GB/s\"\n"), HasSubstr("must be more than 0"));
  EXPECT_THAT(about("[[level]]\nname = \"a\"\n[[level.interval]]\n[[level.interval]]\nfrom = 0\n"),
              HasSubstr("m.toml:5:8: the intervals of a start at from = 0 and ascend; number 2 does not"));
  EXPECT_THAT(about("[[overhead]]\nfrom = 10\n"), HasSubstr("m.toml:2:8: the intervals of overhead"));
  EXPECT_THAT(about(level_a + level_a + "units = 1\n"),
              HasSubstr("m.toml:6:8: there are two levels called a"));
  EXPECT_THAT(about(""), HasSubstr("a machine file says something"));
  EXPECT_THAT(about("level = 3"), HasSubstr("write [[level]]"));
  EXPECT_THAT(about("compute_scale = nan"), HasSubstr("compute_scale is a number"));
  EXPECT_THAT(about("compute_scale = 0"),
              HasSubstr("m.toml:1:1: compute_scale = 0 would leave no computation"));
}

TEST(MachineFile, ComputeIsAboutRanksOrACallPath) {
  EXPECT_THAT(about("\n[[compute]]\nscale = 2\n"),
              HasSubstr("m.toml:2:1: a [[compute]] needs first_rank and last_rank, or call_path"));
  EXPECT_THAT(about("[[compute]]\nfirst_rank = 1\ncall_path = \"f\"\nscale = 2\n"),
              HasSubstr("m.toml:1:1: a [[compute]] is about ranks or about a call path"));
  EXPECT_THAT(about("[[compute]]\ncall_path = \"f\"\n"),
              HasSubstr("m.toml:1:1: a [[compute]] needs its scale"));
}

TEST(MachineFile, AmountsAndSizesAreBounded) {
  const std::string level = "[[level]]\nname = \"a\"\n",
                    costs = "latency = \"0 ns\"\nbandwidth = \"unlimited\"\n";
  EXPECT_THAT(about(level + "latency = \"1e12 s\"\n"), HasSubstr("m.toml:3:11: latency is at most 1000 s"));
  EXPECT_THAT(about(level + "bandwidth = \"1e-300 B/s\"\n"),
              HasSubstr("m.toml:3:13: bandwidth is from 1 kB/s to 1000000000 GB/s"));
  const std::string many = "units = 16777216\n";
  EXPECT_THAT(about(level + costs + many + "[[level]]\nname = \"b\"\n" + costs + many),
              HasSubstr("m.toml:10:9: a machine has at most 1000000000000 cores"));
  std::string levels;
  for (char name = 'a'; name < 'j'; ++name)
    levels += "[[level]]\nname = \"" + std::string(1, name) + "\"\nunits = 1\n" + costs;
  EXPECT_THAT(about(levels), HasSubstr("m.toml:41:1: a machine has at most 8 levels"));
}

TEST(MachineFile, TablesOfCollectivesLieBesideIt) {
  const auto table = [](const std::string& name, const std::string& source) {
    return parse_machine("collectives = \"" + name + "\"\n", source).collectives;
  };
  EXPECT_EQ(table("smpi", "there/m.toml"), "smpi");
  EXPECT_EQ(table("mine.json", "there/m.toml"), "there/mine.json");
  EXPECT_EQ(table("/mine.json", "there/m.toml"), "/mine.json");
  EXPECT_EQ(table("mine.json", "m.toml"), "mine.json");
}

TEST(MachineFile, ThoseThatComeWithUsAreRead) {
  EXPECT_GE(ready_machines().size(), 4u);
  for (const ReadyMachine& machine : ready_machines()) EXPECT_FALSE(find_machine(machine.name).name.empty());
  EXPECT_THAT(complaint([] { find_machine("crya"); }), HasSubstr("there are gigabit-multicore, ideal"));
}

// DVM's two parameters between nodes and inside (the paper's table: 31 us for 30 KB inside).
TEST(MachineFile, Mvs15kHasThePapersParameters) {
  const Machine machine = find_machine("mvs-15k");
  const auto cost = [&](std::size_t level, double bytes) {
    const SizeInterval* const interval =
        interval_of(machine.levels.at(level), static_cast<std::uint64_t>(bytes));
    return interval->latency_ns + interval->ns_per_byte * bytes;
  };
  EXPECT_NEAR(cost(1, 30000), 31e3, 1);
  EXPECT_NEAR(cost(0, 100000), 407e3, 1);
}

Machine nodes_of(std::uint32_t nodes, std::uint32_t cores) {
  Machine machine;
  machine.name = "m";
  machine.levels = {{.name = "node", .units = nodes}, {.name = "core", .units = cores}};
  return machine;
}
std::vector<std::uint32_t> nodes_of_ranks(const Placement& placement) {
  std::vector<std::uint32_t> nodes;
  for (std::size_t rank = 0; rank < placement.ranks(); ++rank) nodes.push_back(placement.unit(rank, 0));
  return nodes;
}

TEST(Mapping, BlockAndCyclic) {
  Machine machine = nodes_of(2, 2);
  EXPECT_THAT(nodes_of_ranks(Placement(machine, 4)), ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(Placement(machine, 4).level_between(0, 1), 1u);
  EXPECT_EQ(Placement(machine, 4).level_between(1, 2), 0u);
  machine.mapping = Mapping::Cyclic;
  EXPECT_THAT(nodes_of_ranks(Placement(machine, 4)), ElementsAre(0, 1, 0, 1));
  machine.levels[0].units = 0;
  machine.ranks_per_node = 1;
  EXPECT_THAT(nodes_of_ranks(Placement(machine, 4)), ElementsAre(0, 1, 2, 3));
}

// Levels above the nodes do not affect how many ranks a node gets.
TEST(Mapping, NodesAreTheLevelOfThatName) {
  Machine machine = nodes_of(4, 2);
  machine.levels.insert(machine.levels.begin(), {.name = "switch"});
  const auto nodes = [&] {
    const Placement placement(machine, 6);
    std::vector<std::uint32_t> found;
    for (std::size_t rank = 0; rank < 6; ++rank) found.push_back(placement.node(rank));
    return found;
  };
  EXPECT_THAT(nodes(), ElementsAre(0, 0, 1, 1, 2, 2));
  machine.ranks_per_node = 1;
  EXPECT_THAT(nodes(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(nodes_of_ranks(Placement(machine, 6)), ElementsAre(0, 0, 0, 0, 1, 1));  // switches
  machine.ranks_per_node = 2;
  machine.mapping = Mapping::Cyclic;
  EXPECT_THAT(nodes(), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(Mapping, TakesTurnsBetweenAsManyNodesAsAreNeeded) {
  Machine machine = nodes_of(64, 4);
  machine.mapping = Mapping::Cyclic;
  EXPECT_THAT(nodes_of_ranks(Placement(machine, 5)), ElementsAre(0, 1, 0, 1, 0));
  machine.ranks_per_node = 2;
  EXPECT_THAT(nodes_of_ranks(Placement(machine, 5)), ElementsAre(0, 1, 2, 0, 1));
}

TEST(Mapping, CoresMayBeFarApart) {
  Machine machine = nodes_of(0, 2);
  const Placement placement(machine, {4294967295, 1, 0});
  EXPECT_THAT(nodes_of_ranks(placement), ElementsAre(1, 0, 0));
  EXPECT_EQ(placement.units(1), 3u);  // with ranks on them: no others need to be stored
}

TEST(Mapping, TooManyRanksAreRefused) {
  EXPECT_THAT(complaint([] { Placement(nodes_of(2, 2), 5); }),
              HasSubstr("machine m has room for 4 ranks, one per core, and the run needs 5"));
  EXPECT_THAT(complaint([] { Placement(nodes_of(2, 2), std::vector<std::uint64_t>{4}); }),
              HasSubstr("machine m has cores 0 to 3, and no core 4"));
  Machine machine = nodes_of(2, 2);
  machine.ranks_per_node = 3;
  EXPECT_THAT(complaint([&] { Placement(machine, 1); }),
              HasSubstr("machine m has nodes with room for 2 ranks, one per core, not for 3 ranks per node"));
  machine.levels.erase(machine.levels.begin());
  EXPECT_THAT(
      complaint([&] { Placement(machine, 1); }),
      HasSubstr("has no level called node, and its outermost one, core, has units with room for 1 rank"));
}

TEST(Mapping, FromAFile) {
  EXPECT_THAT(parse_mapping("3 # first\n\n0\n", "map", 2), ElementsAre(3, 0));
  EXPECT_THAT(complaint([] { parse_mapping("3\nx\n", "map", 2); }),
              HasSubstr("map:2: expected the number of one core"));
  EXPECT_THAT(complaint([] { parse_mapping("3\n", "map", 2); }),
              HasSubstr("has places for 1 ranks, the run has 2"));
}

TEST(CollectiveTable, TakesTheFirstRuleThatApplies) {
  const CollectiveTable table = find_collectives("mpich");
  const auto chosen = [&](CollectiveOperation operation, std::uint64_t ranks, std::uint64_t bytes,
                          bool nodes) {
    return table.choose({.operation = operation, .ranks = ranks, .bytes = bytes, .several_nodes = nodes})
        .algorithm;
  };
  EXPECT_EQ(chosen(CollectiveOperation::Bcast, 8, 12288, false), CollectiveAlgorithm::Binomial);
  EXPECT_EQ(chosen(CollectiveOperation::Bcast, 8, 12289, false),
            CollectiveAlgorithm::ScatterRecursiveDoubling);
  EXPECT_EQ(chosen(CollectiveOperation::Bcast, 12, 12289, false), CollectiveAlgorithm::ScatterRing);
  EXPECT_EQ(chosen(CollectiveOperation::Bcast, 8, 524287, true), CollectiveAlgorithm::TwoLevel);
  EXPECT_EQ(chosen(CollectiveOperation::Bcast, 8, 524288, true), CollectiveAlgorithm::ScatterRing);
  EXPECT_EQ(chosen(CollectiveOperation::Bcast, 12, 12289, true), CollectiveAlgorithm::ScatterRing);
  EXPECT_EQ(chosen(CollectiveOperation::Reduce, 12, 1000000, true), CollectiveAlgorithm::TwoLevel);
  EXPECT_EQ(chosen(CollectiveOperation::Allreduce, 8, 8, false), CollectiveAlgorithm::RecursiveDoubling);
  EXPECT_EQ(chosen(CollectiveOperation::Allreduce, 8, 32768, true), CollectiveAlgorithm::TwoLevel);
  EXPECT_EQ(chosen(CollectiveOperation::Allreduce, 8, 32769, true),
            CollectiveAlgorithm::ReduceScatterAllgather);
}

// The table of MPICH with other `constructors`; "" for none.
CollectiveTable table_with(const std::string& constructors) {
  std::string json = ready_collectives().front().text;  // mpich
  const std::size_t end = json.find(",\n  \"constructors\"");
  json = json.substr(0, end) + (constructors.empty() ? "" : ",\"constructors\":" + constructors) + "}";
  return parse_collectives(json, "t.json");
}

TEST(CollectiveTable, SaysHowCommunicatorsAreMade) {
  const CollectiveTable mpich = find_collectives("mpich");
  EXPECT_EQ(mpich.constructor("MPI_Comm_split").size(), 2u);
  ASSERT_EQ(mpich.constructor("MPI_Cart_create").size(), 1u);
  EXPECT_EQ(mpich.constructor("MPI_Cart_create")[0].operation, CollectiveOperation::Allreduce);
  EXPECT_EQ(mpich.constructor("MPI_Cart_create")[0].bytes, 260u);
  const CollectiveTable silent = table_with("");
  ASSERT_EQ(silent.constructor("MPI_Comm_dup").size(), 1u);  // at least a barrier of all
  EXPECT_EQ(silent.constructor("MPI_Comm_dup")[0].operation, CollectiveOperation::Barrier);
}

TEST(CollectiveTable, BadConstructorsAreRefused) {
  const auto said = [](const std::string& constructors) {
    return complaint([&] { table_with(constructors); });
  };
  EXPECT_THAT(said("{}"), HasSubstr("constructors need \"other\""));
  EXPECT_THAT(said(R"({"other":[{"operation":"alltoall","bytes":8}]})"),
              HasSubstr("needs an operation: barrier, bcast"));
  EXPECT_THAT(said(R"({"other":[{"operation":"bcast","size":8}]})"), HasSubstr("nothing is called size"));
  EXPECT_THAT(said(R"({"other":[{"operation":"bcast","algorithm":"ring"}]})"),
              HasSubstr("only gather, scatter and allgather take an algorithm"));
}

TEST(CollectiveTable, BadOnesAreRefused) {
  const auto said = [](const std::string& json) {
    return complaint([&] { parse_collectives(json, "t.json"); });
  };
  EXPECT_EQ(said("{\n\"schema\": x}"), "t.json:2:11: no JSON goes on like this");
  EXPECT_THAT(said("{}"), HasSubstr("schema must be waitdiag.collectives/1"));
  EXPECT_THAT(said(R"({"schema":"waitdiag.collectives/1","operations":{"barrier":[{"algorithm":"ring"}]}})"),
              HasSubstr("t.json:1:61: needs an algorithm that can do barrier"));
  EXPECT_THAT(
      said(R"({"schema":"waitdiag.collectives/1","operations":{"barrier":[{"algorithm":"two_level"}]}})"),
      HasSubstr("two_level needs other rules"));
  const std::string begin = "{\"schema\":\"waitdiag.collectives/1\",\n \"operations\":";
  EXPECT_EQ(said(begin + "{\"bcst\":[]}}"), "t.json:2:15: no operation is called bcst");
  EXPECT_EQ(said(begin + "{}}"),
            "t.json:2:15: barrier must be a list of rules, also where there is one only");
  EXPECT_EQ(said(begin + "{\"barrier\":[\n  {\"min_ranks\":-1, \"algorithm\":\"dissemination\"}]}}"),
            "t.json:3:3: min_ranks must be a whole number, 0 or more");
  EXPECT_EQ(said(begin + "{\"barrier\":[7]}}"), "t.json: needs an algorithm that can do barrier");
  EXPECT_THAT(said("[1]"), HasSubstr("t.json: schema must be waitdiag.collectives/1"));
  EXPECT_THAT(said("{\"schema\":\"x\"}"), HasSubstr("t.json:1:1: is no table of collectives"));
}

TEST(ScaledCosts, ArePortsThatManyShareAsWell) {
  MachineLevel level;
  level.channel_ns_per_byte = 0.05;
  level.intervals = {{0, 1000, 0.2, 10}, {4096, 2000, 0.1, 20}};
  scale_costs(level, [](std::uint64_t from) { return from == 0 ? CostFactors{2, 1} : CostFactors{3, 4}; });
  EXPECT_EQ(level.intervals[0].latency_ns, 2000);
  EXPECT_EQ(level.intervals[0].hop_ns, 20);
  EXPECT_EQ(level.intervals[0].ns_per_byte, 0.2);
  EXPECT_EQ(level.intervals[1].latency_ns, 6000);
  EXPECT_EQ(level.intervals[1].ns_per_byte, 0.4);
  EXPECT_EQ(level.channel_ns_per_byte, 0.1) << "as the cheapest size";
}

}  // namespace
}  // namespace waitdiag
