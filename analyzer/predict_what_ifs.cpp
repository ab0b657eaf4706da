// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/predict_what_ifs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/diagnose.hpp"
#include "analyzer/simulation/prediction/prediction_report.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

struct Proposal {
  std::string label{};
  ScenarioRequest request{};
};

// Each of the user's what-ifs by itself, if there is more than one; and a prediction without any.
std::vector<Proposal> asked_one_by_one(const ScenarioRequest& asked) {
  std::vector<Edit> edits = edits_of(asked);
  if (edits.empty()) return {};
  std::vector<Proposal> list{{"the machine alone", without_edits(asked)}};
  if (edits.size() > 1)
    for (Edit& edit : edits) list.push_back({std::move(edit.option), std::move(edit.alone)});
  return list;
}

bool has_network(const ScenarioRequest& asked) {
  return !asked.swap && !(asked.machine && asked.machine->levels.empty());
}

// What-ifs that we propose besides those of the user.
std::vector<Proposal> proposals(const ScenarioRequest& asked, const Report& diagnosis,
                                const PredictionReport& report) {
  constexpr std::size_t kMostCauses = 3;
  std::vector<Proposal> list;
  for (const Report::Cause& cause : diagnosis.causes) {
    if (cause.kind != "computation" || list.size() == kMostCauses) continue;
    list.push_back({"also --balance " + cause.call_path, asked});
    list.back().request.balance.push_back(cause.call_path);
  }
  const auto longest = std::ranges::find_if(report.critical_path, [](const auto& entry) {
    return entry.call_path.find("MPI_") == std::string::npos;
  });
  if (longest != report.critical_path.end()) {
    list.push_back({"also --speedup " + longest->call_path + "=2", asked});
    list.back().request.speedups.push_back({longest->call_path, 2});
  }
  const double faster = asked.compute_scale / 2;
  list.push_back({fmt::format("--compute-scale {:g}", faster), asked});
  list.back().request.compute_scale = faster;
  if (!has_network(asked)) return list;
  list.push_back({"also --swap-machine network=ideal", asked});
  list.back().request.swap = {ScenarioRequest::Swap::Part::Network, find_machine("ideal")};
  return list;
}

std::optional<PredictionReport::WhatIf> tried(const Predictor& predictor, const Proposal& proposal,
                                              const WhatIfSource& source) {
  try {
    Scenario scenario = make_scenario(proposal.request, source.ranks, source.recorded);
    scenario.factors = source.factors;
    scenario.repairs = source.repairs.named(proposal.request.repairs);
    return PredictionReport::WhatIf{proposal.label, predicted_figures(predictor.predict(scenario, false))};
  } catch (const TraceError&) {  // a proposal that makes no sense in this run, such as balancing nothing
    return std::nullopt;
  }
}

}  // namespace

NamedRepairs::NamedRepairs(const Trace& trace, Stages& stages) {
  Diagnosis found = diagnose(trace, {.replays = Replays::Never}, stages);
  all_ = timed_repairs(trace, found);
}

std::vector<TimedRepair> NamedRepairs::meant(const std::vector<std::string>& names) const {
  std::vector<TimedRepair> result;
  for (const std::string& name : names)
    for (const TimedRepair& one : repairs_named(all_, name)) {
      const auto is_same = [&](const TimedRepair& other) { return other.repair.change == one.repair.change; };
      if (std::ranges::none_of(result, is_same)) result.push_back(one);
    }
  return result;
}

std::vector<Repair> NamedRepairs::named(const std::vector<std::string>& names) const {
  std::vector<Repair> result;
  for (const TimedRepair& one : meant(names)) result.push_back(one.repair);
  return result;
}

std::vector<PredictionReport::Repairs::Cause> NamedRepairs::rows(
    const std::vector<std::string>& names) const {
  std::vector<PredictionReport::Repairs::Cause> result;
  for (const TimedRepair& one : meant(names))
    result.push_back({one.cause.call_path, std::chrono::duration<double>(one.saves).count()});
  return result;
}

void add_what_ifs(const Predictor& predictor, const WhatIfSource& source, const Report& diagnosis,
                  PredictionReport& report) {
  const auto add = [&](const std::vector<Proposal>& list) {
    for (const Proposal& proposal : list)
      if (auto point = tried(predictor, proposal, source)) report.what_ifs.push_back(std::move(*point));
  };
  add(asked_one_by_one(source.request));
  report.what_ifs.push_back({"as predicted", report.predicted});
  add(proposals(source.request, diagnosis, report));
}

}  // namespace waitdiag
