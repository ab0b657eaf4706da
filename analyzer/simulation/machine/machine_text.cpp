// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/machine/machine_text.hpp"

#include <array>
#include <cstdio>
#include <string_view>

namespace waitdiag {
namespace {

std::string decimal(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}
std::string quoted(std::string_view name, const std::string& value) {
  return std::string(name) + " = \"" + value + "\"\n";
}
std::string time_entry(std::string_view name, double ns) {
  return quoted(name, decimal(ns / 1e3) + " us");
}
std::string bandwidth_entry(std::string_view name, double ns_per_byte) {
  constexpr double kNothing = 1e-9;  // a byte: more than a machine file may state (kMostRate)
  return quoted(name, ns_per_byte > kNothing ? decimal(1e3 / ns_per_byte) + " MB/s" : "unlimited");
}
std::string bytes_entry(std::string_view name, std::uint64_t bytes) {
  return std::string(name) + " = " + (bytes == UINT64_MAX ? "\"unlimited\"" : std::to_string(bytes)) + "\n";
}
std::string from_entry(std::uint64_t from) {
  return from > 0 ? bytes_entry("from", from) : "";
}

std::string overhead_text(const MessageOverhead& one) {
  std::string text = "\n[[overhead]]\n" + from_entry(one.from);
  text += time_entry("send", one.send_ns) + time_entry("isend", one.isend_ns) +
          time_entry("receive", one.receive_ns);
  if (one.send_ns_per_byte > 0) text += bandwidth_entry("send_bandwidth", one.send_ns_per_byte);
  text += bandwidth_entry("isend_bandwidth", one.isend_ns_per_byte);
  if (one.receive_ns_per_byte > 0) text += bandwidth_entry("receive_bandwidth", one.receive_ns_per_byte);
  return text;
}

std::string topology_text(const Topology& topology) {
  if (topology.kind == Topology::Kind::None) return "";
  std::string text = quoted("topology", topology.kind == Topology::Kind::Torus       ? "torus"
                                        : topology.kind == Topology::Kind::Dragonfly ? "dragonfly"
                                                                                     : "fat_tree");
  text += "extents = [";
  for (std::size_t d = 0; d < topology.extents.size(); ++d)
    text += (d > 0 ? ", " : "") + std::to_string(topology.extents[d]);
  text += "]\n";
  if (topology.link_ns_per_byte > 0) text += bandwidth_entry("link_bandwidth", topology.link_ns_per_byte);
  return text;
}

std::string level_text(const MachineLevel& level) {
  std::string text = "[[level]]\n" + quoted("name", level.name);
  if (level.units > 0 && level.topology.units() == 0) text += "units = " + std::to_string(level.units) + "\n";
  if (level.channels > 1) text += "channels = " + std::to_string(level.channels) + "\n";
  if (level.channel_ns_per_byte > 0) text += bandwidth_entry("bandwidth", level.channel_ns_per_byte);
  if (level.sharing == Sharing::Half) text += quoted("sharing", "half");
  if (level.sharing == Sharing::Bus) text += quoted("sharing", "bus");
  if (level.sharing == Sharing::None) text += quoted("sharing", "none");
  if (level.opposite > 0) text += "opposite = " + decimal(level.opposite) + "\n";
  if (level.claim != 1) text += "claim = " + decimal(level.claim) + "\n";
  text += topology_text(level.topology);
  for (const SizeInterval& interval : level.intervals) {
    text += "[[level.interval]]\n" + from_entry(interval.from) + time_entry("latency", interval.latency_ns);
    if (interval.hop_ns > 0) text += time_entry("hop_latency", interval.hop_ns);
    text += bandwidth_entry("bandwidth", interval.ns_per_byte);
  }
  return text;
}

// Values that equal the defaults are not written.
std::string places_text(const Machine& machine) {
  const Machine usual;
  std::string text;
  if (machine.handshake_ns > 0) text += time_entry("handshake", machine.handshake_ns);
  if (machine.envelope_bytes > 0) text += bytes_entry("envelope", machine.envelope_bytes);
  if (machine.mapping != usual.mapping) text += quoted("mapping", "cyclic");
  if (machine.ranks_per_node > 0) text += "ranks_per_node = " + std::to_string(machine.ranks_per_node) + "\n";
  if (machine.collectives != usual.collectives) text += quoted("collectives", machine.collectives);
  if (machine.compute_scale != 1) text += "compute_scale = " + decimal(machine.compute_scale) + "\n";
  return text;
}

}  // namespace

std::string machine_text(const Machine& machine, const MachineComments& comments) {
  std::string text;
  for (const std::string& line : comments.head) text += "# " + line + "\n";
  text += quoted("name", machine.name);
  if (!machine.description.empty()) text += quoted("description", machine.description);
  text += machine.eager ? bytes_entry("eager", machine.eager_bytes) : quoted("eager", "none");
  text += bytes_entry("detached", machine.detached_bytes) + places_text(machine);
  if (machine.reduction_ns_per_byte > 0)
    text += bandwidth_entry("reduction_bandwidth", machine.reduction_ns_per_byte);
  for (const MessageOverhead& one : machine.overheads) text += overhead_text(one);
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    text += "\n";
    if (l < comments.levels.size() && !comments.levels[l].empty()) text += "# " + comments.levels[l] + "\n";
    text += level_text(machine.levels[l]);
  }
  return text;
}

}  // namespace waitdiag
