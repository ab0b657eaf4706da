// Machine files: TOML; every error message has the line and column.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <map>

#include "analyzer/simulation/machine/collective_table.hpp"
#include "analyzer/simulation/machine/machine.hpp"
#include "analyzer/toml/toml_section.hpp"

namespace waitdiag {
namespace {

// The next entry of a table by size.
template <typename Entry>
void add_in_order(const TomlSection& section, std::vector<Entry>& entries, Entry entry,
                  const std::string& what) {
  if (entries.empty() ? entry.from != 0 : entry.from <= entries.back().from)
    section.fail_at("from", "the intervals of " + what + " start at from = 0 and ascend; number " +
                                std::to_string(entries.size() + 1) + " does not");
  entries.push_back(std::move(entry));
}

// "torus", "dragonfly" or "fat_tree", with its extents.
void read_topology(const TomlSection& section, bool outermost, MachineLevel& level) {
  Topology& topology = level.topology;
  section.choice<Topology::Kind>("topology", topology.kind,
                                 {{"torus", Topology::Kind::Torus},
                                  {"dragonfly", Topology::Kind::Dragonfly},
                                  {"fat_tree", Topology::Kind::FatTree}});
  if (topology.kind == Topology::Kind::None) {
    for (const char* const key : {"extents", "link_bandwidth", "hop_latency"})
      if (section.has(key))
        section.fail_at(key, std::string(key) + " is about a topology, which the level has not");
    return;
  }
  if (!outermost) section.fail_at("topology", "only the outermost level may have a topology");
  constexpr double kMostUnits = 1e6;
  std::vector<std::uint64_t> extents;
  section.whole_numbers("extents", extents, 1, kMostUnits);
  topology.extents.assign(extents.begin(), extents.end());
  const std::size_t wanted = topology.kind == Topology::Kind::Dragonfly ? 3 : 2;
  const char* const what = topology.kind == Topology::Kind::Dragonfly
                               ? "a dragonfly has 3 extents: groups, routers of a group, units of a router"
                               : "a fat tree has 2 extents: units of a leaf switch, and its up-links";
  if (topology.kind == Topology::Kind::Torus ? extents.empty() : extents.size() != wanted)
    section.fail(topology.kind == Topology::Kind::Torus ? "a torus needs extents, such as [4, 4, 4]" : what);
  double units = 1;
  for (const std::uint64_t extent : extents) units *= static_cast<double>(extent);
  if (units > kMostUnits) section.fail_at("extents", "a topology has at most 1000000 units");
  if (topology.most_hops() > Topology::kMostHops)
    section.fail_at("extents", "no way may pass more than 16 links");
  if (topology.units() > 0 && level.units > 0 && level.units != topology.units())
    section.fail_at("units", "units are as many as the extents say; leave them out");
  if (topology.units() > 0) level.units = static_cast<std::uint32_t>(topology.units());
  topology.link_ns_per_byte = level.channel_ns_per_byte;
  section.bandwidth("link_bandwidth", topology.link_ns_per_byte);
}

MachineLevel level_of(const TomlSection& section, bool outermost) {
  section.allow({"name", "units", "channels", "bandwidth", "latency", "sharing", "opposite", "claim",
                 "interval", "topology", "extents", "link_bandwidth", "hop_latency"});
  MachineLevel level;
  section.text("name", level.name);
  section.whole("units", level.units, 1);
  section.whole("channels", level.channels, 1);
  section.choice<Sharing>(
      "sharing", level.sharing,
      {{"duplex", Sharing::Duplex}, {"half", Sharing::Half}, {"bus", Sharing::Bus}, {"none", Sharing::None}});
  section.number("opposite", level.opposite, 0, 1);
  section.number("claim", level.claim, 1e-3, 1e3);
  if (level.name.empty()) section.fail("a level needs a name, such as \"node\"");
  if (level.units == 0 && !outermost)
    section.fail("level " + level.name + " needs units: how many of it are in one unit of the level outside");
  SizeInterval all;
  section.bandwidth("bandwidth", all.ns_per_byte);
  level.channel_ns_per_byte = all.ns_per_byte;
  section.time("latency", all.latency_ns);
  section.time("hop_latency", all.hop_ns);
  std::map<std::string, std::size_t> intervals_with;
  const auto has_cost = [&](const char* what) {
    return section.has(what) || (intervals_with[what] > 0 && intervals_with[what] == level.intervals.size());
  };
  section.each("interval", [&](const TomlSection& entry) {
    entry.allow({"from", "latency", "bandwidth", "hop_latency"});
    for (const char* const what : {"latency", "bandwidth"})
      if (entry.has(what)) ++intervals_with[what];
    SizeInterval interval = all;
    interval.from = 0;
    entry.bytes("from", interval.from);
    entry.time("latency", interval.latency_ns);
    entry.bandwidth("bandwidth", interval.ns_per_byte);
    entry.time("hop_latency", interval.hop_ns);
    add_in_order(entry, level.intervals, interval, level.name);
  });
  if (level.intervals.empty()) level.intervals.push_back(all);
  if (level.channel_ns_per_byte == 0) {
    level.channel_ns_per_byte = level.intervals.front().ns_per_byte;
    for (const SizeInterval& interval : level.intervals)
      level.channel_ns_per_byte = std::min(level.channel_ns_per_byte, interval.ns_per_byte);
  }
  read_topology(section, outermost, level);
  if (!has_cost("latency"))
    section.fail("level " + level.name +
                 " needs a latency, such as \"2 us\"; messages that take no time have \"0 ns\"");
  if (!has_cost("bandwidth"))
    section.fail("level " + level.name + " needs a bandwidth, such as \"10 GB/s\", or \"unlimited\"");
  return level;
}

MessageOverhead message_overhead_of(const TomlSection& section) {
  section.allow(
      {"from", "send", "isend", "receive", "send_bandwidth", "isend_bandwidth", "receive_bandwidth"});
  MessageOverhead overhead;
  section.bytes("from", overhead.from);
  section.time("send", overhead.send_ns);
  overhead.isend_ns = overhead.send_ns;
  section.time("isend", overhead.isend_ns);
  section.time("receive", overhead.receive_ns);
  section.bandwidth("send_bandwidth", overhead.send_ns_per_byte);
  overhead.isend_ns_per_byte = overhead.send_ns_per_byte;
  section.bandwidth("isend_bandwidth", overhead.isend_ns_per_byte);
  section.bandwidth("receive_bandwidth", overhead.receive_ns_per_byte);
  return overhead;
}

void read_eager(const TomlSection& root, Machine& machine) {
  machine.eager = !root.says("eager", "none");
  if (machine.eager) {
    root.bytes("eager", machine.eager_bytes);
  } else {
    machine.eager_bytes = 0;
  }
}

void read_scales(const TomlSection& root, Machine& machine) {
  constexpr double kLeast = 0, kMost = 1e9;
  root.number("compute_scale", machine.compute_scale, kLeast, kMost);
  if (machine.compute_scale == 0)
    root.fail(
        "compute_scale = 0 would leave no computation: give how many times as long it takes, such as 0.5");
  root.each("compute", [&](const TomlSection& section) {
    section.allow({"first_rank", "last_rank", "call_path", "scale"});
    const bool of_ranks = section.has("first_rank") || section.has("last_rank");
    if (of_ranks == section.has("call_path"))
      section.fail(of_ranks ? "a [[compute]] is about ranks or about a call path: write one for each"
                            : "a [[compute]] needs first_rank and last_rank, or call_path; for all "
                              "computation there is compute_scale");
    if (!section.has("scale")) section.fail("a [[compute]] needs its scale, such as 1.5");
    ScaleOfRanks ranks;
    section.number("scale", ranks.scale, kLeast, kMost);
    if (!of_ranks) {
      ScaleOfCallPath path{.scale = ranks.scale};
      section.text("call_path", path.call_path);
      machine.call_path_scales.push_back(path);
      return;
    }
    section.whole("first_rank", ranks.first, 0);
    ranks.last = ranks.first;
    section.whole("last_rank", ranks.last, ranks.first);
    machine.rank_scales.push_back(ranks);
  });
}

// A file is searched for beside the machine's.
void read_collectives(const TomlSection& root, const std::string& source, Machine& machine) {
  if (!root.has("collectives")) return;
  std::string name;
  root.text("collectives", name);
  machine.collectives_place = root.place("collectives");
  const bool ready =
      std::ranges::find(ready_collectives(), name, &ReadyCollectives::name) != ready_collectives().end();
  machine.collectives = ready ? name : (std::filesystem::path(source).parent_path() / name).string();
}

// Limits the number of cores so that they can be counted, and the ports of a message so that they fit into
// its route.
void add_level(const TomlSection& section, std::vector<MachineLevel>& levels) {
  constexpr std::size_t kMostLevels = 8;
  constexpr double kMostCores = 1e12;
  MachineLevel level = level_of(section, levels.empty());
  if (std::ranges::find(levels, level.name, &MachineLevel::name) != levels.end())
    section.fail_at("name", "there are two levels called " + level.name);
  if (levels.size() == kMostLevels) section.fail("a machine has at most 8 levels");
  double cores = std::max(1u, level.units);
  for (const MachineLevel& outer : levels) cores *= std::max(1u, outer.units);
  if (cores > kMostCores) section.fail_at("units", "a machine has at most 1000000000000 cores");
  levels.push_back(std::move(level));
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& source) try {
  const toml::table table = toml::parse(text, source);
  const TomlSection root(table, source);
  root.allow({"name", "description", "compute_scale", "compute", "reduction_bandwidth", "eager", "detached",
              "handshake", "envelope", "overhead", "mapping", "ranks_per_node", "collectives", "level"});
  if (root.is_empty()) root.fail("a machine file says something: a name and levels, for example");
  Machine machine;
  machine.name = source;
  root.text("name", machine.name);
  root.text("description", machine.description);
  read_scales(root, machine);
  root.bandwidth("reduction_bandwidth", machine.reduction_ns_per_byte);
  read_eager(root, machine);
  machine.detached_bytes = machine.eager_bytes;
  root.bytes("detached", machine.detached_bytes);
  machine.detached_bytes = std::max(machine.detached_bytes, machine.eager_bytes);
  root.time("handshake", machine.handshake_ns);
  root.bytes("envelope", machine.envelope_bytes);
  root.each("overhead", [&](const TomlSection& section) {
    add_in_order(section, machine.overheads, message_overhead_of(section), "overhead");
  });
  root.choice<Mapping>("mapping", machine.mapping, {{"block", Mapping::Block}, {"cyclic", Mapping::Cyclic}});
  root.whole("ranks_per_node", machine.ranks_per_node, 1);
  read_collectives(root, source, machine);
  root.each("level", [&](const TomlSection& section) { add_level(section, machine.levels); });
  return machine;
} catch (const toml::parse_error& error) {
  throw not_toml(error, source);
}

}  // namespace waitdiag
