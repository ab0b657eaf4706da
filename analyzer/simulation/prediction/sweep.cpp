// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/prediction/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "analyzer/toml/number_of.hpp"
#include "analyzer/toml/units_of_measure.hpp"
#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {

enum class SweptPart : std::uint8_t { Run, Machine, Level };

// A parameter that a sweep can change, and how its values are written.
struct SweepParameter {
  const char* name;
  const char* example;
  SweptPart of;
  double least;
  std::optional<double> (*parse)(std::string_view);
  std::string (*label)(double);
  void (*set)(Scenario&, MachineLevel*, double);
  double (*get)(const Scenario&, const MachineLevel*);  // of the shortest messages, if that matters
};

namespace {

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

constexpr SweepParameter kSweepable[] = {
    {"latency", "latency=1us..10us/5", SweptPart::Level, 0, nanoseconds_of, time_label, set_latency,
     latency_of},
    {"bandwidth", "bandwidth=1GB/s..10GB/s/5", SweptPart::Level, 1, bytes_per_second_of, rate_label,
     set_bandwidth, bandwidth_of},
    {"channels", "channels=1..4/4", SweptPart::Level, 1, number_of, whole_label, set_channels, channels_of},
    {"compute-scale", "compute-scale=0.5..2/4", SweptPart::Run, 0, number_of, plain_label, set_compute_scale,
     compute_scale_of},
    {"eager", "eager=0B..64KiB/5", SweptPart::Machine, 0, bytes_of, bytes_label, set_eager, eager_of},
    {"detached", "detached=0B..64KiB/5", SweptPart::Machine, 0, bytes_of, bytes_label, set_detached,
     detached_of},
    {"handshake", "handshake=0us..5us/6", SweptPart::Machine, 0, nanoseconds_of, time_label, set_handshake,
     handshake_of},
    {"send", "send=0us..1us/5", SweptPart::Machine, 0, nanoseconds_of, time_label, set_send, send_of},
    {"receive", "receive=0us..1us/5", SweptPart::Machine, 0, nanoseconds_of, time_label, set_receive,
     receive_of},
    {"reduction-bandwidth", "reduction-bandwidth=1GB/s..8GB/s/8", SweptPart::Machine, 1, bytes_per_second_of,
     rate_label, set_reduction, reduction_of},
    {"ranks-per-node", "ranks-per-node=1..8/8", SweptPart::Level, 1, number_of, whole_label,
     set_ranks_per_node, ranks_per_node_of},
};

// The level that "latency@core" means; the outermost one if none is named.
MachineLevel* level_of(Machine& machine, const SweepRequest& request) {
  if (request.parameter->of != SweptPart::Level) return nullptr;
  if (machine.levels.empty())
    throw TraceError(fmt::format("--sweep {}: {} has no levels; name another one with --machine",
                                 request.name, machine.name));
  if (request.level.empty()) return &machine.levels.front();
  std::string names;
  for (MachineLevel& level : machine.levels) {
    if (level.name == request.level) return &level;
    names += (names.empty() ? "" : ", ") + level.name;
  }
  throw TraceError(fmt::format("--sweep {}: the levels of {} are {}", request.name, machine.name, names));
}

// "1us..10us/5"
bool parse_range(const std::string& text, SweepRequest& request) {
  constexpr double kMost = 1000, kLargest = 1e15;
  const SweepParameter& parameter = *request.parameter;
  const std::size_t dots = text.find(".."), slash = text.rfind('/');
  if (dots == std::string::npos || slash == std::string::npos || slash < dots) return false;
  const auto first = parameter.parse(text.substr(0, dots));
  const auto last = parameter.parse(text.substr(dots + 2, slash - dots - 2));
  const auto count = number_of(text.substr(slash + 1));
  if (!first || !last || !count || *count < 2 || *count > kMost || *count != std::floor(*count)) return false;
  if (*first < parameter.least || *last < *first || *last > kLargest) return false;
  request.first = *first;
  request.last = *last;
  request.count = static_cast<int>(*count);
  return true;
}

}  // namespace

std::string sweep_parameters() {
  std::string names;
  for (const SweepParameter& parameter : kSweepable)
    names += (names.empty() ? "" : ", ") + std::string(parameter.name);
  return names;
}

SweepRequest parse_sweep(const std::string& text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::size_t at = std::min(text.find('@'), equals);
  const auto known = std::ranges::find_if(
      kSweepable, [&](const SweepParameter& parameter) { return text.compare(0, at, parameter.name) == 0; });
  if (known == std::end(kSweepable))
    throw std::invalid_argument(
        "--sweep takes for example latency=1us..10us/5 or bandwidth@core=1GB/s..10GB/s/5, not '" + text +
        "'; parameters are " + sweep_parameters());
  SweepRequest request{.parameter = known, .name = text.substr(0, equals)};
  if (at < equals) request.level = text.substr(at + 1, equals - at - 1);
  if (known->of != SweptPart::Level && !request.level.empty())
    throw std::invalid_argument(
        fmt::format("--sweep {} is not of one level: leave out '@{}'", known->name, request.level));
  if (equals == text.size() || !parse_range(text.substr(equals + 1), request))
    throw std::invalid_argument(fmt::format(
        "--sweep {} takes two amounts in ascending order, from {:g}, and a number of values from 2 "
        "to 1000, such as {}",
        known->name, known->least, known->example));
  return request;
}

Sweep make_sweep(const SweepRequest& request, const Scenario& scenario) {
  const SweepParameter& parameter = *request.parameter;
  if (parameter.set == set_ranks_per_node && !scenario.cores.empty())
    throw TraceError("--sweep ranks-per-node: the mapping file says where every rank runs");
  Machine machine = scenario.machine;
  Sweep sweep{.computation = parameter.of == SweptPart::Run,
              .current = parameter.get(scenario, level_of(machine, request))};
  for (int i = 0; i < request.count; ++i) {
    const double value = request.first + (request.last - request.first) * i / (request.count - 1);
    Sweep::Point point{value, parameter.label(value), scenario};
    parameter.set(point.scenario, level_of(point.scenario.machine, request), value);
    sweep.points.push_back(std::move(point));
  }
  return sweep;
}

}  // namespace waitdiag
