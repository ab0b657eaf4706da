// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/json/cause_json.hpp"

#include <cmath>

#include "analyzer/writers/json/whole_run_json.hpp"

namespace waitdiag {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson by_step(const Report::Cause::BySteps& table) {
  OrderedJson time = OrderedJson::array();
  for (const std::vector<double>& row : table.time_s) {
    OrderedJson cells = OrderedJson::array();
    for (const double seconds : row) cells.push_back(tidy(seconds));
    time.push_back(cells);
  }
  return {{"steps_per_column", table.steps_per_column},
          {"time_s", time},
          {"visits", table.visits.empty() ? OrderedJson() : OrderedJson(table.visits)}};
}

// The parts that only the leading causes have.
void add_closer_look(const Report::Cause& cause, OrderedJson& entry) {
  if (cause.why.kind.empty()) return;
  entry["why"] = {
      {"kind", cause.why.kind},
      {"text", cause.why.text},
      {"late_ranks", cause.why.late_ranks},
      {"correlation", cause.why.correlation ? OrderedJson(tidy(*cause.why.correlation)) : OrderedJson()},
      {"growth", std::isfinite(cause.why.growth) ? OrderedJson(tidy(cause.why.growth)) : OrderedJson()},
      {"grows", cause.why.grows}};
  if (const auto& late = cause.why.late_steps)
    entry["why"]["late_steps"] = {{"first", late->first}, {"last", late->last}, {"every", late->every}};
  if (cause.gain)
    entry["gain"] = {{"runtime_s", tidy(cause.gain->runtime_s)},
                     {"speedup", tidy(cause.gain->speedup)},
                     {"method", cause.gain->method}};
  OrderedJson executions = OrderedJson::array();
  for (const Report::Cause::Execution& execution : cause.executions)
    executions.push_back({{"rank", execution.rank},
                          {"time_s", tidy(execution.seconds)},
                          {"visits", cause.visits_known ? OrderedJson(execution.visits) : OrderedJson()}});
  entry["executions"] = executions;
  entry["by_step"] = by_step(cause.by_step);
}

}  // namespace

nlohmann::ordered_json cause_entry(const Report::Cause& cause) {
  OrderedJson ranks = OrderedJson::array();
  for (const Report::ByRank& entry : cause.ranks)
    ranks.push_back({{"rank", entry.rank}, {"waiting_s", tidy(entry.seconds)}});
  OrderedJson patterns = OrderedJson::object();
  for (const auto& [pattern, seconds] : cause.patterns) patterns[pattern] = tidy(seconds);
  OrderedJson entry = {{"call_path", cause.call_path},
                       {"function", cause.function},
                       {"file", cause.file},
                       {"line", cause.line},
                       {"kind", cause.kind},
                       {"waiting_s", tidy(cause.waiting_s)},
                       {"direct_s", tidy(cause.direct_s)},
                       {"indirect_s", tidy(cause.indirect_s)},
                       {"excess_s", tidy(cause.excess_s)},
                       {"share_of_waiting", tidy(cause.share_of_waiting)},
                       {"ranks", ranks},
                       {"patterns", patterns}};
  add_closer_look(cause, entry);
  return entry;
}

}  // namespace waitdiag
