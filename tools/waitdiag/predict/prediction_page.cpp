// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/predict/prediction_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/trace/model/trace_error.hpp"
#include "analyzer/writers/json/json.hpp"
#include "analyzer/writers/text/text.hpp"
#include "tools/waitdiag/command_line/figure_page.hpp"

namespace waitdiag::tool {
namespace {

struct WhatIfOptions {
  std::string label{};
  ScenarioOptions options{};
};

ScenarioOptions without_edits(ScenarioOptions options) {
  options.compute_scale = 1;
  options.balance.clear();
  options.speedup.clear();
  options.repair.clear();
  options.without.clear();
  options.remove_waits.clear();
  return options;
}

// Each of the user's what-ifs by itself, if there is more than one; and a prediction without any.
std::vector<WhatIfOptions> asked_one_by_one(const ScenarioOptions& asked) {
  const ScenarioOptions plain = without_edits(asked);
  std::vector<WhatIfOptions> list;
  const auto with = [&](std::string label, auto member, auto value) {
    ScenarioOptions options = plain;
    options.*member = {std::move(value)};
    list.push_back({std::move(label), std::move(options)});
  };
  if (asked.compute_scale != 1)
    with(fmt::format("--compute-scale {:g}", asked.compute_scale), &ScenarioOptions::compute_scale,
         asked.compute_scale);
  for (const std::string& path : asked.balance) with("--balance " + path, &ScenarioOptions::balance, path);
  for (const std::string& text : asked.speedup) with("--speedup " + text, &ScenarioOptions::speedup, text);
  for (const std::string& cause : asked.repair) with("--repair " + cause, &ScenarioOptions::repair, cause);
  for (const std::string& text : asked.without) with("--without " + text, &ScenarioOptions::without, text);
  for (const std::string& id : asked.remove_waits)
    with("--remove-waits " + id, &ScenarioOptions::remove_waits, id);
  if (list.size() == 1) list.clear();
  if (edits_of(asked).empty()) return list;
  list.insert(list.begin(), {"the machine alone", plain});
  return list;
}

// What-ifs that we propose besides those of the user.
std::vector<WhatIfOptions> proposals(const ScenarioOptions& asked, const Report& diagnosis,
                                     const PredictionReport& report) {
  constexpr std::size_t kMostCauses = 3;
  std::vector<WhatIfOptions> list;
  for (const Report::Cause& cause : diagnosis.causes) {
    if (cause.kind != "computation" || list.size() == kMostCauses) continue;
    ScenarioOptions options = asked;
    options.balance.push_back(cause.call_path);
    list.push_back({"also --balance " + cause.call_path, std::move(options)});
  }
  const auto longest =
      std::find_if(report.critical_path.begin(), report.critical_path.end(),
                   [](const auto& entry) { return entry.call_path.find("MPI_") == std::string::npos; });
  if (longest != report.critical_path.end()) {
    ScenarioOptions options = asked;
    options.speedup.push_back(longest->call_path + "=2");
    list.push_back({"also --speedup " + longest->call_path + "=2", std::move(options)});
  }
  ScenarioOptions faster = asked, quiet = asked;
  faster.compute_scale /= 2;
  list.push_back({fmt::format("--compute-scale {:g}", faster.compute_scale), std::move(faster)});
  if (asked.ideal_network || asked.machine == "ideal" || !asked.swap_machine.empty()) return list;
  quiet.swap_machine = "network=ideal";
  list.push_back({"also --swap-machine network=ideal", std::move(quiet)});
  return list;
}

std::optional<PredictionReport::WhatIf> tried(const Predictor& predictor, const WhatIfOptions& what_if,
                                              const AskedFor& asked, std::size_t ranks) {
  try {
    Scenario scenario = make_scenario(what_if.options, ranks, asked.recorded);
    scenario.factors = asked.factors;
    scenario.repairs = asked.repairs.named(what_if.options.repair);
    return PredictionReport::WhatIf{what_if.label, predicted_figures(predictor.predict(scenario, false))};
  } catch (const TraceError&) {  // a proposal that makes no sense in this run, such as balancing nothing
    return std::nullopt;
  }
}

}  // namespace

void add_what_ifs(const Predictor& predictor, const AskedFor& asked, const Report& diagnosis,
                  std::size_t ranks, PredictionReport& report) {
  for (const WhatIfOptions& what_if : asked_one_by_one(asked.options))
    if (auto point = tried(predictor, what_if, asked, ranks)) report.what_ifs.push_back(std::move(*point));
  report.what_ifs.push_back({"as predicted", report.predicted});
  for (const WhatIfOptions& what_if : proposals(asked.options, diagnosis, report))
    if (auto point = tried(predictor, what_if, asked, ranks)) report.what_ifs.push_back(std::move(*point));
}

void write_prediction_page(const std::string& file, const PredictionPage& page) {
  const std::string program = page.report.recorded.program.empty() ? "run" : page.report.recorded.program;
  write_figure_page(
      file, {.kind = "prediction",
             .title = program + " on " + page.report.scenario.machine + ": prediction",
             .parts = {{"prediction", text_of([&](std::ostream& out) { write_json(page.report, out); })},
                       {"tree", text_of([&](std::ostream& out) { write_logic_tree_json(page.tree, out); })},
                       {"measured", page.measured.data},
                       {"predicted", page.predicted.data}},
             .text = [&](std::ostream& out) {
               write_prediction_text(page.report, {.style = {.utf8 = true}}, out);
             }});
}

}  // namespace waitdiag::tool
