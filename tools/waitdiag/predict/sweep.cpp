// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyzer/toml/units_of_measure.hpp"
#include "analyzer/wording/numbers.hpp"
#include "tools/waitdiag/command_line/errors.hpp"
#include "tools/waitdiag/command_line/number_of.hpp"

namespace waitdiag::tool {
namespace {

enum class Of : std::uint8_t { Run, Machine, Level };

// A parameter that a sweep can change, and how its values are written.
struct Parameter {
  const char* name;
  const char* example;
  Of of;
  double least;
  std::optional<double> (*parse)(std::string_view);
  std::string (*label)(double);
  void (*set)(Scenario&, MachineLevel*, double);
  double (*get)(const Scenario&, const MachineLevel*);  // of the shortest messages, if that matters
};

std::string time_label(double ns) {
  return format_duration(ns * 1e-9);
}
std::string rate_label(double bytes_per_second) {
  return fmt::format("{:.4g} MB/s", bytes_per_second / 1e6);
}
std::string bytes_label(double bytes) {
  return format_bytes(static_cast<std::uint64_t>(std::llround(bytes)));
}
std::string plain_label(double value) {
  return fmt::format("{:.4g}", value);
}
std::string whole_label(double value) {
  return fmt::format("{}", std::llround(value));
}

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::llround(value));
}

void set_latency(Scenario&, MachineLevel* level, double ns) {
  for (SizeInterval& interval : level->intervals) interval.latency_ns = ns;
}
void set_bandwidth(Scenario&, MachineLevel* level, double bytes_per_second) {
  level->channel_ns_per_byte = 1e9 / bytes_per_second;
  for (SizeInterval& interval : level->intervals) interval.ns_per_byte = 1e9 / bytes_per_second;
}
void set_channels(Scenario&, MachineLevel* level, double channels) {
  level->channels = static_cast<std::uint32_t>(whole(channels));
}
void set_compute_scale(Scenario& scenario, MachineLevel*, double scale) {
  scenario.compute_scale = scale;
}
// Moves the other limit if necessary, so that the two stay in order.
void set_eager(Scenario& scenario, MachineLevel*, double bytes) {
  scenario.machine.eager = true;
  scenario.machine.eager_bytes = whole(bytes);
  scenario.machine.detached_bytes = std::max(scenario.machine.detached_bytes, whole(bytes));
}
void set_detached(Scenario& scenario, MachineLevel*, double bytes) {
  scenario.machine.detached_bytes = whole(bytes);
  scenario.machine.eager_bytes = std::min(scenario.machine.eager_bytes, whole(bytes));
}
void set_handshake(Scenario& scenario, MachineLevel*, double ns) {
  scenario.machine.handshake_ns = ns;
}
void set_send(Scenario& scenario, MachineLevel*, double ns) {
  if (scenario.machine.overheads.empty()) scenario.machine.overheads.emplace_back();
  for (MessageOverhead& overhead : scenario.machine.overheads) overhead.send_ns = overhead.isend_ns = ns;
}
void set_receive(Scenario& scenario, MachineLevel*, double ns) {
  if (scenario.machine.overheads.empty()) scenario.machine.overheads.emplace_back();
  for (MessageOverhead& overhead : scenario.machine.overheads) overhead.receive_ns = ns;
}
void set_reduction(Scenario& scenario, MachineLevel*, double bytes_per_second) {
  scenario.machine.reduction_ns_per_byte = 1e9 / bytes_per_second;
}
void set_ranks_per_node(Scenario& scenario, MachineLevel*, double ranks) {
  scenario.machine.ranks_per_node = static_cast<std::uint32_t>(whole(ranks));
}

double latency_of(const Scenario&, const MachineLevel* level) {
  return level->intervals.empty() ? 0 : level->intervals.front().latency_ns;
}
double bandwidth_of(const Scenario&, const MachineLevel* level) {
  return level->intervals.empty() ? 0 : 1e9 / level->intervals.front().ns_per_byte;
}
double channels_of(const Scenario&, const MachineLevel* level) {
  return level->channels;
}
double compute_scale_of(const Scenario& scenario, const MachineLevel*) {
  return scenario.compute_scale;
}
double limit_of(std::uint64_t bytes) {
  return bytes == UINT64_MAX ? HUGE_VAL : static_cast<double>(bytes);
}
double eager_of(const Scenario& scenario, const MachineLevel*) {
  return limit_of(scenario.machine.eager_bytes);
}
double detached_of(const Scenario& scenario, const MachineLevel*) {
  return limit_of(scenario.machine.detached_bytes);
}
double handshake_of(const Scenario& scenario, const MachineLevel*) {
  return scenario.machine.handshake_ns;
}
double send_of(const Scenario& scenario, const MachineLevel*) {
  return scenario.machine.overheads.empty() ? 0 : scenario.machine.overheads.front().send_ns;
}
double receive_of(const Scenario& scenario, const MachineLevel*) {
  return scenario.machine.overheads.empty() ? 0 : scenario.machine.overheads.front().receive_ns;
}
double reduction_of(const Scenario& scenario, const MachineLevel*) {
  return 1e9 / scenario.machine.reduction_ns_per_byte;
}
double ranks_per_node_of(const Scenario& scenario, const MachineLevel*) {
  const std::uint32_t ranks = scenario.machine.ranks_per_node;
  return ranks > 0 ? static_cast<double>(ranks) : HUGE_VAL;  // all cores
}

constexpr Parameter kSweepable[] = {
    {"latency", "latency=1us..10us/5", Of::Level, 0, nanoseconds_of, time_label, set_latency, latency_of},
    {"bandwidth", "bandwidth=1GB/s..10GB/s/5", Of::Level, 1, bytes_per_second_of, rate_label, set_bandwidth,
     bandwidth_of},
    {"channels", "channels=1..4/4", Of::Level, 1, number_of, whole_label, set_channels, channels_of},
    {"compute-scale", "compute-scale=0.5..2/4", Of::Run, 0, number_of, plain_label, set_compute_scale,
     compute_scale_of},
    {"eager", "eager=0B..64KiB/5", Of::Machine, 0, bytes_of, bytes_label, set_eager, eager_of},
    {"detached", "detached=0B..64KiB/5", Of::Machine, 0, bytes_of, bytes_label, set_detached, detached_of},
    {"handshake", "handshake=0us..5us/6", Of::Machine, 0, nanoseconds_of, time_label, set_handshake,
     handshake_of},
    {"send", "send=0us..1us/5", Of::Machine, 0, nanoseconds_of, time_label, set_send, send_of},
    {"receive", "receive=0us..1us/5", Of::Machine, 0, nanoseconds_of, time_label, set_receive, receive_of},
    {"reduction-bandwidth", "reduction-bandwidth=1GB/s..8GB/s/8", Of::Machine, 1, bytes_per_second_of,
     rate_label, set_reduction, reduction_of},
    {"ranks-per-node", "ranks-per-node=1..8/8", Of::Level, 1, number_of, whole_label, set_ranks_per_node,
     ranks_per_node_of},
};

// The level that "latency@core" means; the outermost one if none is named.
MachineLevel* level_of(Machine& machine, const Parameter& parameter, const std::string& name) {
  if (parameter.of != Of::Level) {
    if (!name.empty())
      throw UsageError(fmt::format("--sweep {} is not of one level: leave out '@{}'", parameter.name, name));
    return nullptr;
  }
  if (machine.levels.empty())
    throw UsageError(fmt::format("--sweep {}: {} has no levels; name another one with --machine",
                                 parameter.name, machine.name));
  if (name.empty()) return &machine.levels.front();
  std::string names;
  for (MachineLevel& level : machine.levels) {
    if (level.name == name) return &level;
    names += (names.empty() ? "" : ", ") + level.name;
  }
  throw UsageError(
      fmt::format("--sweep {}@{}: the levels of {} are {}", parameter.name, name, machine.name, names));
}

struct Range {
  double first = 0, last = 0;
  int count = 0;
};

std::optional<Range> range_of(const std::string& text, const Parameter& parameter) {
  constexpr double kMost = 1000;
  const std::size_t dots = text.find(".."), slash = text.rfind('/');
  if (dots == std::string::npos || slash == std::string::npos || slash < dots) return std::nullopt;
  const auto first = parameter.parse(text.substr(0, dots));
  const auto last = parameter.parse(text.substr(dots + 2, slash - dots - 2));
  const auto count = number_of(text.substr(slash + 1));
  if (!first || !last || !count || *count < 2 || *count > kMost || *count != std::floor(*count))
    return std::nullopt;
  if (*first < parameter.least || *last < *first || *last > 1e15) return std::nullopt;
  return Range{*first, *last, static_cast<int>(*count)};
}

}  // namespace

std::string sweep_parameters() {
  std::string names;
  for (const Parameter& parameter : kSweepable)
    names += (names.empty() ? "" : ", ") + std::string(parameter.name);
  return names;
}

Sweep make_sweep(const std::string& text, const Scenario& scenario) {
  Sweep sweep;
  if (text.empty()) return sweep;
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::size_t at = std::min(text.find('@'), equals);
  const auto known = std::ranges::find_if(
      kSweepable, [&](const Parameter& parameter) { return text.substr(0, at) == parameter.name; });
  if (known == std::end(kSweepable))
    throw UsageError(
        "--sweep takes for example latency=1us..10us/5 or bandwidth@core=1GB/s..10GB/s/5, not '" + text +
        "'; parameters are " + sweep_parameters());
  const std::string level = at < equals ? text.substr(at + 1, equals - at - 1) : "";
  if (known->set == set_ranks_per_node && !scenario.cores.empty())
    throw UsageError("--sweep ranks-per-node: the mapping file says where every rank runs");
  Machine machine = scenario.machine;
  const MachineLevel* const own_level = level_of(machine, *known, level);
  const auto range = equals < text.size() ? range_of(text.substr(equals + 1), *known) : std::nullopt;
  if (!range)
    throw UsageError(fmt::format(
        "--sweep {} takes two amounts in ascending order, from {:g}, and a number of values from 2 "
        "to 1000, such as {}",
        known->name, known->least, known->example));
  sweep.parameter = text.substr(0, equals);
  sweep.computation = known->of == Of::Run;
  sweep.current = known->get(scenario, own_level);
  for (int i = 0; i < range->count; ++i) {
    const double value = range->first + (range->last - range->first) * i / (range->count - 1);
    Sweep::Point point{value, known->label(value), scenario};
    known->set(point.scenario, level_of(point.scenario.machine, *known, level), value);
    sweep.points.push_back(std::move(point));
  }
  return sweep;
}

}  // namespace waitdiag::tool
