// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/toml/units_of_measure.hpp"

#include <charconv>
#include <cmath>
#include <span>

namespace waitdiag {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr Unit kSizes[] = {{"B", 1},      {"kB", 1e3},      {"MB", 1e6},     {"GB", 1e9},
                           {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
constexpr Unit kBits[] = {{"bit", 0.125}, {"kbit", 125}, {"Mbit", 125e3}, {"Gbit", 125e6}};

std::optional<double> amount(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& known : units)
    if (unit == known.name) return value * known.factor;
  return std::nullopt;
}

}  // namespace

std::optional<double> nanoseconds_of(std::string_view text) {
  return amount(text, kTimes);
}
std::optional<double> bytes_of(std::string_view text) {
  return amount(text, kSizes);
}
std::optional<double> bytes_per_second_of(std::string_view text) {
  if (!text.ends_with("/s")) return std::nullopt;
  text.remove_suffix(2);
  const auto bytes = bytes_of(text);
  return bytes ? bytes : amount(text, kBits);
}

}  // namespace waitdiag
