// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <set>

#include "analyzer/simulation/machine/unit_times.hpp"
#include "analyzer/toml/toml_section.hpp"

namespace waitdiag {
namespace {

constexpr double kMostCount = 1e15, kMostSeconds = 1e9;

std::uint64_t count_in(const TomlSection& section, std::string_view name) {
  double value = 0;
  section.number(name, value, 0, kMostCount);
  if (value != std::floor(value)) section.fail(std::string(name) + " is a whole number");
  return static_cast<std::uint64_t>(value);
}

UnitTimes::CallPath unit_of(const TomlSection& section) {
  section.allow({"call_path", "seconds", "count", "counted", "samples", "share"});
  UnitTimes::CallPath unit;
  section.text("call_path", unit.name);
  if (unit.name.empty()) section.fail("a unit needs its call_path, such as \"main/solve\"");
  if (!section.has("seconds") || !section.has("count"))
    section.fail("the unit " + unit.name +
                 " needs its time and how often it ran: seconds = 0.001, count = 100");
  section.number("seconds", unit.seconds, 0, kMostSeconds);
  unit.count = count_in(section, "count");
  unit.samples = count_in(section, "samples");
  section.number("share", unit.share, 0, 1);
  section.choice<UnitTimes::Unit>(
      "counted", unit.unit,
      {{"executions", UnitTimes::Unit::Execution}, {"stretches", UnitTimes::Unit::Stretch}});
  return unit;
}

}  // namespace

UnitTimes parse_unit_times(std::string_view text, const std::string& source) try {
  const toml::table table = toml::parse(text, source);
  const TomlSection root(table, source);
  root.allow({"program", "machine", "ranks", "utilisation", "as_recorded", "unit"});
  UnitTimes times;
  root.text("program", times.program);
  root.text("machine", times.machine);
  root.whole("ranks", times.ranks, 1);
  root.number("utilisation", times.utilisation, 0, 1);
  root.boolean("as_recorded", times.as_recorded);
  std::set<std::string> names;
  root.each("unit", [&](const TomlSection& section) {
    times.call_paths.push_back(unit_of(section));
    if (!names.insert(times.call_paths.back().name).second)
      section.fail("there are two units of " + times.call_paths.back().name);
  });
  if (times.call_paths.empty())
    root.fail("no unit times here; `waitdiag predict DIR --write-unit-times FILE` writes such a file");
  return times;
} catch (const toml::parse_error& error) {
  throw not_toml(error, source);
}

}  // namespace waitdiag
