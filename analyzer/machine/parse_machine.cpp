// Machine files: TOML, every complaint with the line and column it is about.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "analyzer/machine/machine.hpp"
#include "analyzer/machine/toml_section.hpp"

namespace waitdiag {
namespace {

template <typename Entry>
void check_order(const TomlSection& section, const std::vector<Entry>& entries, const char* what) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i == 0 ? entries[i].from != 0 : entries[i].from <= entries[i - 1].from)
      section.fail(std::string("the intervals of ") + what + " start at from = 0 and ascend; number " +
                   std::to_string(i + 1) + " does not");
  }
}

MachineLevel level_of(const TomlSection& section, bool outermost) {
  section.allow({"name", "units", "channels", "bandwidth", "latency", "sharing", "opposite", "interval"});
  MachineLevel level;
  section.text("name", level.name);
  section.whole("units", level.units, 1);
  section.whole("channels", level.channels, 1);
  section.choice<Sharing>(
      "sharing", level.sharing,
      {{"duplex", Sharing::Duplex}, {"half", Sharing::Half}, {"bus", Sharing::Bus}, {"none", Sharing::None}});
  section.number("opposite", level.opposite, 0, 1);
  if (level.name.empty()) section.fail("a level needs a name, such as \"node\"");
  if (level.units == 0 && !outermost)
    section.fail("level " + level.name + " needs units: how many of it are in one unit of the level outside");
  SizeInterval all;
  section.bandwidth("bandwidth", all.ns_per_byte);
  level.channel_ns_per_byte = all.ns_per_byte;
  section.time("latency", all.latency_ns);
  section.each("interval", [&](const TomlSection& entry) {
    entry.allow({"from", "latency", "bandwidth"});
    SizeInterval interval = all;
    interval.from = 0;
    entry.bytes("from", interval.from);
    entry.time("latency", interval.latency_ns);
    entry.bandwidth("bandwidth", interval.ns_per_byte);
    level.intervals.push_back(interval);
  });
  check_order(section, level.intervals, level.name.c_str());
  if (level.intervals.empty()) level.intervals.push_back(all);
  if (level.channel_ns_per_byte == 0) {
    level.channel_ns_per_byte = level.intervals.front().ns_per_byte;
    for (const SizeInterval& interval : level.intervals)
      level.channel_ns_per_byte = std::min(level.channel_ns_per_byte, interval.ns_per_byte);
  }
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
  root.each("compute", [&](const TomlSection& section) {
    section.allow({"first_rank", "last_rank", "call_path", "scale"});
    ScaleOfRanks ranks;
    ScaleOfCallPath path;
    section.number("scale", ranks.scale, kLeast, kMost);
    section.text("call_path", path.call_path);
    if (!path.call_path.empty()) {
      path.scale = ranks.scale;
      machine.call_path_scales.push_back(path);
      return;
    }
    section.whole("first_rank", ranks.first, 0);
    ranks.last = ranks.first;
    section.whole("last_rank", ranks.last, ranks.first);
    machine.rank_scales.push_back(ranks);
  });
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& source) try {
  const toml::table table = toml::parse(text, source);
  const TomlSection root(table, source);
  root.allow({"name", "description", "compute_scale", "compute", "reduction_bandwidth", "eager", "detached",
              "handshake", "envelope", "overhead", "mapping", "ranks_per_node", "collectives", "level"});
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
  root.each("overhead",
            [&](const TomlSection& section) { machine.overheads.push_back(message_overhead_of(section)); });
  check_order(root, machine.overheads, "overhead");
  root.choice<Mapping>("mapping", machine.mapping, {{"block", Mapping::Block}, {"cyclic", Mapping::Cyclic}});
  root.whole("ranks_per_node", machine.ranks_per_node, 1);
  root.text("collectives", machine.collectives);
  root.each("level", [&](const TomlSection& section) {
    machine.levels.push_back(level_of(section, machine.levels.empty()));
  });
  return machine;
} catch (const toml::parse_error& error) {
  throw not_toml(error, source);
}

}  // namespace waitdiag
