// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/check/settings.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>

#include "analyzer/compare/figures.hpp"

namespace waitdiag {
namespace {

class SettingsTable {
 public:
  SettingsTable(const toml::table& table, const std::string& source) : table_(table), source_(source) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    const toml::source_position place = node.source().begin;
    throw std::runtime_error(source_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
                             ": " + what);
  }
  void allow(std::initializer_list<std::string_view> names) const {
    for (const auto& [key, value] : table_) {
      if (std::find(names.begin(), names.end(), key.str()) != names.end()) continue;
      std::string known;
      for (const std::string_view name : names) known += (known.empty() ? "" : ", ") + std::string(name);
      fail(value, "nothing here is called " + std::string(key.str()) + "; known are " + known);
    }
  }
  void text(std::string_view name, std::string& value) const {
    if (const toml::node* node = table_.get(name)) value = text_of(*node, name);
  }
  void texts(std::string_view name, std::vector<std::string>& list) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    if (!node->is_array()) fail(*node, std::string(name) + " is a list of texts in quotes");
    list.clear();
    for (const toml::node& entry : *node->as_array()) list.push_back(text_of(entry, name));
  }
  void truth(std::string_view name, bool& value) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    if (!node->is_boolean()) fail(*node, std::string(name) + " is true or false");
    value = node->as_boolean()->get();
  }
  void number(std::string_view name, double& value, double least, double most) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    const auto found = node->value<double>();
    if (!node->is_number() || !found || !(*found >= least && *found <= most))
      fail(*node, std::string(name) + " is a number from " + shown(least) + " to " + shown(most));
    value = *found;
  }
  void whole(std::string_view name, std::size_t& value, double most) const {
    auto found = static_cast<double>(value);
    number(name, found, 1, most);
    value = static_cast<std::size_t>(found);
  }
  // Calls visit(name, table) for each table in the table `name`.
  template <typename Visit>
  void tables(std::string_view name, Visit visit) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    if (!node->is_table()) fail(*node, std::string(name) + " is a table");
    for (const auto& [key, value] : *node->as_table()) {
      if (!value.is_table()) fail(value, std::string(name) + "." + std::string(key.str()) + " is a table");
      visit(std::string(key.str()), value, SettingsTable(*value.as_table(), source_));
    }
  }
  void labels(std::map<std::string, std::string>& labels) const {
    const toml::node* const node = table_.get("labels");
    if (node == nullptr) return;
    if (!node->is_table()) fail(*node, "labels is a table of texts");
    for (const auto& [key, value] : *node->as_table())
      labels[std::string(key.str())] = text_of(value, key.str());
  }

 private:
  static std::string shown(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }
  std::string text_of(const toml::node& node, std::string_view name) const {
    if (!node.is_string()) fail(node, std::string(name) + " is a text in quotes");
    return node.as_string()->get();
  }

  const toml::table& table_;
  const std::string& source_;
};

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

void read_metrics(const SettingsTable& from, CheckSettings& settings) {
  from.tables("metrics", [&](const std::string& id, const toml::node& node, const SettingsTable& table) {
    if (!can_be_judged(id)) table.fail(node, "no figure is called " + id + "; known are " + metrics_known());
    table.allow({"judged", "direction", "threshold", "at_least", "at_least_of_total"});
    MetricRule& rule = settings.metrics[id];
    std::string direction = rule.lower_is_better ? "lower" : "higher";
    table.text("direction", direction);
    if (direction != "lower" && direction != "higher")
      table.fail(node, "direction is \"lower\" or \"higher\": which is better");
    rule.lower_is_better = direction == "lower";
    table.truth("judged", rule.judged);
    table.number("threshold", rule.threshold, 0, 1000);
    table.number("at_least", rule.at_least, 0, 1e12);
    table.number("at_least_of_total", rule.at_least_of_total, 0, 1);
  });
}

void read_common(const SettingsTable& from, CheckSettings& settings) {
  from.text("baseline", settings.baseline);
  from.whole("runs", settings.runs, kMostRuns);
  from.whole("nights", settings.nights, kMostRuns);
  from.whole("known_nights", settings.known_nights, kMostRuns);
  from.number("alpha", settings.alpha, 1e-9, 0.5);
  from.texts("allow", settings.allow);
  from.labels(settings.labels);
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
    const SettingsTable all(file, source);
    all.allow({"baseline", "runs", "nights", "known_nights", "alpha", "allow", "labels", "metrics", "case"});
    read_common(all, settings);
    all.tables("case", [&](const std::string& name, const toml::node&, const SettingsTable& table) {
      table.allow(
          {"baseline", "runs", "nights", "known_nights", "alpha", "allow", "labels", "metrics", "command"});
      CheckSettings others = default_check_settings();
      CheckSettings& into = name == case_name ? settings : others;  // a slip in any case is told
      read_common(table, into);
      table.texts("command", into.command);
    });
  } catch (const toml::parse_error& error) {
    const toml::source_position place = error.source().begin;
    throw std::runtime_error(source + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
                             ": " + std::string(error.description()));
  }
  const std::filesystem::path store = settings.baseline;
  if (!settings.baseline.empty() && store.is_relative())
    settings.baseline = (std::filesystem::path(source).parent_path() / store).string();
  return settings;
}

}  // namespace waitdiag
