// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/scenario_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

#include "analyzer/machine/placement.hpp"
#include "analyzer/machine/units_of_measure.hpp"
#include "analyzer/model/trace_error.hpp"
#include "analyzer/report/numbers.hpp"
#include "tools/waitdiag/errors.hpp"

namespace waitdiag::tool {
namespace {

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

Scenario::Speedup speedup_of(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const auto factor = equals == std::string::npos ? std::nullopt : number_of(text.substr(equals + 1));
  if (!factor || *factor == 0 || equals == 0)
    throw UsageError("--speedup takes CALLPATH=FACTOR, for example solve=2, not '" + text + "'");
  return {text.substr(0, equals), *factor};
}

std::vector<std::uint64_t> mapping_file(const std::string& path, std::size_t ranks) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw TraceError("--map takes block, cyclic or a file; cannot read " + path);
  return parse_mapping(text.str(), path, ranks);
}

// What a sweep can change, and how its values are written.
struct Parameter {
  const char* name;
  const char* example;
  std::optional<double> (*parse)(std::string_view);
  std::string (*label)(double);
  void (*set)(Scenario&, double);
};

std::string time_label(double ns) {
  return format_duration(ns * 1e-9);
}
std::string rate_label(double bytes_per_second) {
  return fmt::format("{:.4g} MB/s", bytes_per_second / 1e6);
}
std::string plain_label(double value) {
  return fmt::format("{:.4g}", value);
}
void set_latency(Scenario& scenario, double ns) {
  if (scenario.machine.levels.empty()) return;
  for (SizeInterval& interval : scenario.machine.levels.front().intervals) interval.latency_ns = ns;
}
void set_bandwidth(Scenario& scenario, double bytes_per_second) {
  if (scenario.machine.levels.empty()) return;
  MachineLevel& level = scenario.machine.levels.front();
  level.channel_ns_per_byte = 1e9 / bytes_per_second;
  for (SizeInterval& interval : level.intervals) interval.ns_per_byte = 1e9 / bytes_per_second;
}
void set_compute_scale(Scenario& scenario, double scale) {
  scenario.compute_scale = scale;
}

constexpr Parameter kParameters[] = {
    {"latency", "latency=1us..10us/5", nanoseconds_of, time_label, set_latency},
    {"bandwidth", "bandwidth=1GB/s..10GB/s/5", bytes_per_second_of, rate_label, set_bandwidth},
    {"compute-scale", "compute-scale=0.5..2/4", number_of, plain_label, set_compute_scale},
};

}  // namespace

Scenario make_scenario(const ScenarioOptions& options, std::size_t ranks) {
  Scenario scenario;
  scenario.machine = options.ideal_network ? ideal_machine() : find_machine(options.machine);
  if (options.ranks_per_node > 0) scenario.machine.ranks_per_node = options.ranks_per_node;
  if (options.map == "block") {
    scenario.machine.mapping = Mapping::Block;
  } else if (options.map == "cyclic") {
    scenario.machine.mapping = Mapping::Cyclic;
  } else if (!options.map.empty()) {
    scenario.cores = mapping_file(options.map, ranks);
  }
  scenario.compute_scale = options.compute_scale;
  scenario.balance = options.balance;
  for (const std::string& text : options.speedup) scenario.speedups.push_back(speedup_of(text));
  return scenario;
}

std::vector<std::string> edits_of(const ScenarioOptions& options) {
  std::vector<std::string> edits;
  if (options.compute_scale != 1) edits.push_back(fmt::format("compute scale {:g}", options.compute_scale));
  for (const std::string& path : options.balance) edits.push_back("balanced " + path);
  for (const std::string& text : options.speedup) edits.push_back("speedup " + text);
  return edits;
}

Sweep make_sweep(const std::string& text, const Scenario& scenario) {
  Sweep sweep;
  if (text.empty()) return sweep;
  const std::size_t equals = text.find('='), dots = text.find(".."), slash = text.rfind('/');
  const Parameter* parameter = nullptr;
  for (const Parameter& known : kParameters)
    if (text.substr(0, equals) == known.name) parameter = &known;
  if (parameter == nullptr || dots == std::string::npos || slash == std::string::npos || slash < dots ||
      dots < equals)
    throw UsageError(
        "--sweep takes for example latency=1us..10us/5, bandwidth=1GB/s..10GB/s/5 or "
        "compute-scale=0.5..2/4, not '" +
        text + "'");
  const auto first = parameter->parse(text.substr(equals + 1, dots - equals - 1));
  const auto last = parameter->parse(text.substr(dots + 2, slash - dots - 2));
  const auto count = number_of(text.substr(slash + 1));
  constexpr double kMost = 1000;
  const bool whole = count && *count >= 2 && *count <= kMost && *count == static_cast<int>(*count);
  if (!first || !last || !whole || *last < *first)
    throw UsageError(
        fmt::format("--sweep {} takes two amounts in ascending order and a number of values from 2 to "
                    "{:g}, such as {}",
                    parameter->name, kMost, parameter->example));
  if (parameter->set == set_bandwidth && *first <= 0) throw UsageError("--sweep bandwidth starts above 0");
  sweep.parameter = parameter->name;
  sweep.computation = parameter->set == set_compute_scale;
  for (int i = 0; i < static_cast<int>(*count); ++i) {
    const double value = *first + (*last - *first) * i / (*count - 1);
    Sweep::Point point{value, parameter->label(value), scenario};
    parameter->set(point.scenario, value);
    sweep.points.push_back(std::move(point));
  }
  return sweep;
}

}  // namespace waitdiag::tool
