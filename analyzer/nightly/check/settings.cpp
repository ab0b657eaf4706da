// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/settings.hpp"

#include <algorithm>
#include <filesystem>

#include "analyzer/nightly/compare/figures.hpp"
#include "analyzer/toml/toml_section.hpp"

namespace waitdiag {
namespace {

constexpr double kMostRuns = 1000;

bool can_be_judged(const std::string& id) {
  const auto& figures = figures_compared();
  return std::any_of(figures.begin(), figures.end(), [&](const FigureOf& figure) {
    return figure.id == id &&
           (figure.unit == Comparison::Unit::Seconds || figure.unit == Comparison::Unit::Share);
  });
}

std::string metrics_known() {
  std::string names;
  for (const FigureOf& figure : figures_compared())
    if (can_be_judged(figure.id)) names += (names.empty() ? "" : ", ") + std::string(figure.id);
  return names;
}

void read_metrics(const TomlSection& from, CheckSettings& settings) {
  from.each_named("metrics", [&](const std::string& id, const TomlSection& table) {
    if (!can_be_judged(id)) table.fail("no figure is called " + id + "; known are " + metrics_known());
    table.allow({"judged", "direction", "threshold", "at_least", "at_least_of_total"});
    MetricRule& rule = settings.metrics[id];
    std::string direction = rule.lower_is_better ? "lower" : "higher";
    table.text("direction", direction);
    if (direction != "lower" && direction != "higher")
      table.fail("direction is \"lower\" or \"higher\": which is better");
    rule.lower_is_better = direction == "lower";
    table.boolean("judged", rule.judged);
    table.number("threshold", rule.threshold, 0, 1000);
    table.number("at_least", rule.at_least, 0, 1e12);
    table.number("at_least_of_total", rule.at_least_of_total, 0, 1);
  });
}

void read_common(const TomlSection& from, CheckSettings& settings) {
  from.text("baseline", settings.baseline);
  from.whole("runs", settings.runs, 1, kMostRuns);
  from.whole("nights", settings.nights, 1, kMostRuns);
  from.whole("known_nights", settings.known_nights, 1, kMostRuns);
  from.number("alpha", settings.alpha, 1e-9, 0.5);
  from.texts("allow", settings.allow);
  from.texts("labels", settings.labels);
  read_metrics(from, settings);
}

}  // namespace

CheckSettings default_check_settings() {
  constexpr double kSharePoints = 0.02, kOfTotal = 0.02, kFinest = 0.001;
  CheckSettings settings;
  settings.metrics["runtime_s"].at_least = kFinest;
  settings.metrics["computation_s"].at_least = kFinest;
  settings.metrics["waiting_s"].at_least_of_total = kOfTotal;
  settings.metrics["parallel_efficiency"] = {
      .lower_is_better = false, .threshold = 0, .at_least = kSharePoints};
  settings.metrics["load_balance"] = {
      .judged = false, .lower_is_better = false, .threshold = 0, .at_least = kSharePoints};
  settings.metrics["communication_efficiency"] = settings.metrics["load_balance"];
  settings.metrics["mpi_s"] = {.judged = false, .at_least_of_total = kOfTotal};
  settings.allow = {"MPI_Test*",   "MPI_Iprobe",   "MPI_Improbe",
                    "MPI_Waitany", "MPI_Waitsome", "MPI_Request_get_status*"};
  return settings;
}

CheckSettings read_check_settings(const std::string& text, const std::string& source,
                                  const std::string& case_name) {
  CheckSettings settings = default_check_settings();
  try {
    const toml::table file = toml::parse(text, source);
    const TomlSection all(file, source);
    all.allow({"baseline", "runs", "nights", "known_nights", "alpha", "allow", "labels", "metrics", "case"});
    read_common(all, settings);
    all.each_named("case", [&](const std::string& name, const TomlSection& table) {
      table.allow(
          {"baseline", "runs", "nights", "known_nights", "alpha", "allow", "labels", "metrics", "command"});
      CheckSettings others = default_check_settings();
      CheckSettings& into = name == case_name ? settings : others;  // an error in any case is reported
      read_common(table, into);
      table.texts("command", into.command);
    });
  } catch (const toml::parse_error& error) {
    throw not_toml(error, source);
  }
  const std::filesystem::path store = settings.baseline;
  if (!settings.baseline.empty() && store.is_relative())
    settings.baseline = (std::filesystem::path(source).parent_path() / store).string();
  return settings;
}

}  // namespace waitdiag
