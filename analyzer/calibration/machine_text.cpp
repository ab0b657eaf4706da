// A calibration as a machine file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdio>
#include <string_view>

#include "analyzer/calibration/calibrate.hpp"

namespace waitdiag {
namespace {

std::string decimal(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}
std::string number(double value, const char* unit) {
  return decimal(value) + " " + unit;
}
std::string entry(std::string_view name, const std::string& value) {
  return std::string(name) + " = \"" + value + "\"\n";
}
std::string time_entry(std::string_view name, double ns) {
  return entry(name, number(ns / 1e3, "us"));
}
std::string bandwidth_entry(std::string_view name, double ns_per_byte) {
  return entry(name, ns_per_byte > 0 ? number(1e3 / ns_per_byte, "MB/s") : "unlimited");
}
std::string bytes_entry(std::string_view name, std::uint64_t bytes) {
  return std::string(name) + " = " + (bytes == UINT64_MAX ? "\"unlimited\"" : std::to_string(bytes)) + "\n";
}
std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * share);
  return text.data();
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

std::string level_text(const MachineLevel& level, const Calibration::Level& measured) {
  std::string text = "\n# Ranks " + std::to_string(measured.pair.from) + " and " +
                     std::to_string(measured.pair.to) + ", " + std::to_string(measured.samples.size()) +
                     " sizes; error " + percent(measured.error.typical).substr(1) + ", at worst " +
                     percent(measured.error.worst) + " for " + std::to_string(measured.error.worst_bytes) +
                     " bytes.\n";
  text += "[[level]]\n" + entry("name", level.name);
  if (level.units > 0) text += "units = " + std::to_string(level.units) + "\n";
  if (level.channels > 1) text += "channels = " + std::to_string(level.channels) + "\n";
  if (level.channel_ns_per_byte > 0) text += bandwidth_entry("bandwidth", level.channel_ns_per_byte);
  if (level.sharing == Sharing::Half) text += entry("sharing", "half");
  if (level.sharing == Sharing::Bus) text += entry("sharing", "bus");
  if (level.sharing == Sharing::None) text += entry("sharing", "none");
  if (level.opposite > 0) text += "opposite = " + decimal(level.opposite) + "\n";
  for (const SizeInterval& interval : level.intervals) {
    text += "[[level.interval]]\n" + from_entry(interval.from) + time_entry("latency", interval.latency_ns);
    text += bandwidth_entry("bandwidth", interval.ns_per_byte);
  }
  return text;
}

}  // namespace

std::string machine_text(const Calibration& calibration) {
  const Machine& machine = calibration.machine;
  std::string text =
      "# Measured by waitdiag-calibrate. What a run computes is not in here: --compute-scale.\n";
  for (const std::string& note : calibration.assumed) text += "# Assumed: " + note + ".\n";
  text += entry("name", machine.name);
  if (!machine.description.empty()) text += entry("description", machine.description);
  text += machine.eager ? bytes_entry("eager", machine.eager_bytes) : entry("eager", "none");
  text += bytes_entry("detached", machine.detached_bytes);
  if (machine.reduction_ns_per_byte > 0)
    text += bandwidth_entry("reduction_bandwidth", machine.reduction_ns_per_byte);
  for (const MessageOverhead& one : machine.overheads) text += overhead_text(one);
  for (std::size_t l = 0; l < machine.levels.size(); ++l)
    text += level_text(machine.levels[l], calibration.levels[l]);
  return text;
}

}  // namespace waitdiag
