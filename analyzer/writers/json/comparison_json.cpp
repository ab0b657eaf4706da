// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "analyzer/results/comparison.hpp"
#include "analyzer/writers/json/json.hpp"

namespace waitdiag {
namespace {

using ComparisonJson = nlohmann::ordered_json;

ComparisonJson side_of(const Comparison::Side& side) {
  return {{"sources", side.sources}, {"program", side.program}, {"mpi", side.mpi},
          {"ranks", side.ranks},     {"threads", side.threads}, {"nodes", side.nodes}};
}

ComparisonJson figure_of(const Comparison::Figure& figure) {
  ComparisonJson json = {{"id", figure.id},
                         {"title", figure.title},
                         {"unit", unit_symbol(figure.unit)},
                         {"before", figure.before},
                         {"after", figure.after}};
  if (figure.spread)
    json["spread"] = {{"shift", figure.spread->shift},
                      {"low", figure.spread->low},
                      {"high", figure.spread->high},
                      {"p", figure.spread->p}};
  return json;
}

ComparisonJson changes_of(const std::vector<Comparison::Change>& changes) {
  ComparisonJson list = ComparisonJson::array();
  for (const Comparison::Change& change : changes) {
    ComparisonJson ranks = ComparisonJson::object();
    for (const Report::ByRank& entry : change.ranks) ranks[std::to_string(entry.rank)] = entry.seconds;
    list.push_back({{"id", change.id},
                    {"title", change.title},
                    {"file", change.file},
                    {"line", change.line},
                    {"before_s", change.before_s},
                    {"after_s", change.after_s},
                    {"before_count", change.before_count},
                    {"after_count", change.after_count},
                    {"by_rank", ranks}});
  }
  return list;
}

}  // namespace

void write_comparison_json(const Comparison& comparison, std::ostream& out) {
  ComparisonJson figures = ComparisonJson::array();
  for (const Comparison::Figure& figure : comparison.figures) figures.push_back(figure_of(figure));
  const ComparisonJson json = {{"schema", "waitdiag.comparison/1"},
                               {"outcome", outcome_name(comparison.outcome)},
                               {"sentence", comparison.sentence},
                               {"threshold", comparison.threshold},
                               {"before", side_of(comparison.before)},
                               {"after", side_of(comparison.after)},
                               {"figures", figures},
                               {"waits", changes_of(comparison.waits)},
                               {"causes", changes_of(comparison.causes)},
                               {"functions", changes_of(comparison.functions)},
                               {"cautions", comparison.cautions}};
  out << json.dump(2) << '\n';
}

}  // namespace waitdiag
