// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/nightly/check/history.hpp"
#include "analyzer/nightly/check/judge.hpp"
#include "analyzer/nightly/check/structure.hpp"
#include "analyzer/nightly/check/wording.hpp"
#include "analyzer/nightly/compare/compare.hpp"
#include "analyzer/nightly/compare/figures.hpp"
#include "analyzer/nightly/statistics/change_points.hpp"
#include "analyzer/nightly/statistics/median.hpp"
#include "analyzer/wording/numbers.hpp"
#include "analyzer/wording/verdict.hpp"

namespace waitdiag {
namespace {

using CheckVerdict = CheckResult::Verdict;

Runs values_of(const std::vector<const StoredRun*>& runs, const FigureOf& figure) {
  Runs values;
  for (const StoredRun* run : runs)
    if (const double value = figure.value(run->report); std::isfinite(value)) values.push_back(value);
  return values;
}

std::vector<const Report*> reports_of(const std::vector<const StoredRun*>& runs) {
  std::vector<const Report*> reports;
  for (const StoredRun* run : runs) reports.push_back(&run->report);
  return reports;
}

class Checker {
 public:
  Checker(const TonightsRuns& tonight, const Store& store, const CheckSettings& settings)
      : tonight_(tonight), store_(store), settings_(settings), nights_(nights_of(store)) {
    for (const StoredRun& run : tonight.runs) runs_.push_back(&run);
    result_.case_name = tonight.case_name;
    result_.time = tonight.runs.front().time;
    result_.commit = tonight.runs.front().commit;
    result_.fingerprint = tonight.runs.front().fingerprint;
    result_.runs = runs_.size();
  }

  CheckResult run() {
    judge_figures();
    judge_structure();
    add_history();
    add_changes();
    add_notes();
    for (const CheckResult::Metric& metric : result_.metrics)
      result_.verdict = std::max(result_.verdict, metric.verdict);
    if (!result_.structure.empty() && !accepted("structure"))
      result_.verdict = std::max(result_.verdict, CheckVerdict::Changed);
    result_.sentence = check_sentence(result_, comparison());
    return std::move(result_);
  }

 private:
  bool accepted(const std::string& metric) const {
    return std::any_of(tonight_.acceptances.begin(), tonight_.acceptances.end(),
                       [&](const Acceptance& one) { return one.metric == metric; });
  }

  std::vector<std::size_t> reference(const std::string& metric) const {
    std::vector<std::size_t> nights = level_of(nights_, store_.acceptances, metric).reference;
    if (nights.size() > settings_.nights)
      nights.erase(nights.begin(), nights.end() - static_cast<std::ptrdiff_t>(settings_.nights));
    return nights;
  }

  std::vector<const StoredRun*> reference_runs(const std::string& metric) const {
    std::vector<const StoredRun*> runs;
    for (const std::size_t night : reference(metric))
      runs.insert(runs.end(), nights_[night].runs.begin(), nights_[night].runs.end());
    return runs;
  }

  Question question(const FigureOf& figure, const MetricRule& rule) const {
    constexpr std::size_t kNightsToAgree = 2;
    Question question;
    question.today = values_of(runs_, figure);
    question.relative = rule.threshold;
    Runs totals;
    for (const std::size_t night : reference(figure.id)) {
      if (Runs values = values_of(nights_[night].runs, figure); !values.empty())
        question.nights.push_back(std::move(values));
      for (const StoredRun* run : nights_[night].runs) totals.push_back(run->report.time.total_s);
    }
    for (std::size_t i = nights_.size() - std::min(kNightsToAgree, nights_.size()); i < nights_.size(); ++i)
      if (Runs values = values_of(nights_[i].runs, figure); !values.empty())
        question.recent.push_back(std::move(values));
    question.absolute = rule.at_least;
    if (!totals.empty()) question.absolute = std::max(rule.at_least, rule.at_least_of_total * median(totals));
    question.known_nights = settings_.known_nights;
    return question;
  }

  void judge_figures() {
    std::vector<Evidence> evidence;
    std::vector<bool> lower_is_better;
    for (const FigureOf& figure : figures_compared()) {
      const auto rule = settings_.metrics.find(figure.id);
      if (rule == settings_.metrics.end() || !rule->second.judged) continue;
      const Question asked = question(figure, rule->second);
      if (asked.today.empty()) continue;  // undefined, for instance the efficiency of a run without ranks
      evidence.push_back(evidence_of(asked));
      lower_is_better.push_back(rule->second.lower_is_better);
      result_.metrics.push_back({.id = figure.id,
                                 .title = figure.title,
                                 .unit = figure.unit,
                                 .better = rule->second.lower_is_better ? CheckResult::Better::Lower
                                                                        : CheckResult::Better::Higher});
    }
    const std::vector<CheckVerdict> verdicts = judged(evidence, lower_is_better, settings_.alpha);
    for (std::size_t i = 0; i < evidence.size(); ++i) fill(evidence[i], verdicts[i], result_.metrics[i]);
  }

  void fill(const Evidence& evidence, CheckVerdict verdict, CheckResult::Metric& metric) {
    metric.before = evidence.reference_runs > 0 ? evidence.before : std::nan("");
    metric.after = evidence.after;
    metric.limit = evidence.limit;
    metric.verdict = evidence.reference_runs > 0 ? verdict : CheckVerdict::Inconclusive;
    if (evidence.reference_runs > 0)
      metric.spread = {evidence.shift, evidence.low, evidence.high, evidence.p, evidence.z};
    if (metric.verdict == CheckVerdict::Inconclusive)
      metric.runs_missing = evidence.reference_runs > 0 ? runs_missing(evidence, settings_.alpha) : 0;
    metric.sentence = metric_sentence(metric, evidence, settings_.known_nights);
    result_.reference_runs = std::max<std::uint64_t>(result_.reference_runs, evidence.reference_runs);
    result_.reference_nights = std::max<std::uint64_t>(result_.reference_nights, reference(metric.id).size());
    if (metric.verdict == CheckVerdict::Regression && accepted(metric.id)) {
      metric.verdict = CheckVerdict::Pass;
      metric.accepted = true;
    }
  }

  void judge_structure() {
    const StructureComparison comparison =
        compare_structure(reports_of(reference_runs("structure")), reports_of(runs_), settings_.allow);
    result_.structure = comparison.changed;
    result_.not_compared = comparison.not_compared;
    result_.structure_compared = comparison.compared;
  }

  void add_history() {
    const auto add = [&](const StoredNight& night) {
      CheckResult::Night& entry = result_.nights.emplace_back();
      entry = {night.time, night.commit, night.runs.size(), night.verdict.verdict, {}, night.verdict.metrics};
      for (const FigureOf& figure : figures_compared())
        if (const Runs values = values_of(night.runs, figure); !values.empty())
          entry.medians[figure.id] = median(values);
    };
    for (const StoredNight& night : nights_) add(night);
    StoredVerdict tonight = verdict_to_store(result_);
    for (const CheckResult::Metric& metric : result_.metrics)
      tonight.verdict = std::max(tonight.verdict, metric.verdict);
    add({.time = result_.time, .commit = result_.commit, .runs = runs_, .verdict = tonight});
  }

  // Uses the series of single runs, so that the first night of a new level is found if it has several runs.
  void add_changes() {
    for (CheckResult::Metric& metric : result_.metrics) {
      const FigureOf& figure = *std::find_if(figures_compared().begin(), figures_compared().end(),
                                             [&](const FigureOf& one) { return one.id == metric.id; });
      Runs series;
      std::vector<std::pair<std::string, std::string>> places;  // time and commit of each value
      const auto add = [&](const std::vector<const StoredRun*>& runs) {
        for (const StoredRun* run : runs) {
          const double value = figure.value(run->report);
          if (!std::isfinite(value)) continue;
          series.push_back(value);
          places.emplace_back(run->time, run->commit);
        }
      };
      for (const StoredNight& night : nights_) add(night.runs);
      add(runs_);
      const double scale = std::abs(median(series));
      const ChangePointOptions options{.least_change = scale > 0 ? std::min(1.0, metric.limit / scale) : 0};
      for (const ChangePoint& point : change_points(series, options))
        metric.changes.push_back(
            {places[point.index].first, places[point.index].second, point.before, point.after});
    }
  }

  void add_notes() {
    if (nights_.empty() && store_.other_series > 0)
      result_.notes.push_back(new_series_note(result_.fingerprint, store_.latest_other, store_.other_series));
    for (const Acceptance& one : tonight_.acceptances)
      result_.notes.push_back("accepted from tonight on: " + one.metric + " (" + one.reason + ")");
    for (const Acceptance& one : store_.acceptances)
      result_.notes.push_back("accepted " + one.time + ": " + one.metric + " (" + one.reason + ")");
    for (const StoredRun* run : runs_)
      if (data_doubtful(run->report)) {
        result_.notes.push_back("a run has incomplete or contradictory data, so its figures may be wrong");
        break;
      }
    add_stolen_processors();
    for (const std::string& oddity : store_.oddities) result_.notes.push_back(oddity);
  }
  void add_stolen_processors() {
    constexpr double kMatters = 0.01;
    double most = 0;
    for (const StoredRun* run : runs_)
      for (const Report::NodeResources& node : run->report.node_resources)
        most = std::max(most, node.stolen_share);
    if (most >= kMatters)
      result_.notes.push_back(fmt::format(
          "the host of a virtual machine took its processors away for up to {} of the time that they were "
          "wanted: code seems so much slower",
          format_share(most)));
  }

  // Compares tonight with the latest runs of the reference of the worst figure.
  Comparison comparison() const {
    constexpr std::size_t kMostRuns = 50;
    const std::string worst = leading_metric(result_);
    std::vector<ComparedRun> before, after;
    for (const StoredRun* run : reference_runs(worst)) before.push_back({run->time, run->report});
    if (before.size() > kMostRuns)
      before.erase(before.begin(), before.end() - static_cast<std::ptrdiff_t>(kMostRuns));
    for (const StoredRun* run : runs_) after.push_back({run->time, run->report});
    return compare(before.empty() ? after : before, after);
  }

  const TonightsRuns& tonight_;
  const Store& store_;
  const CheckSettings& settings_;
  const std::vector<StoredNight> nights_;
  std::vector<const StoredRun*> runs_{};
  CheckResult result_{};
};

}  // namespace

CheckResult check(const TonightsRuns& tonight, const Store& store, const CheckSettings& settings) {
  return Checker(tonight, store, settings).run();
}

CheckResult failed_check(const std::string& case_name, const std::string& time, const std::string& commit,
                         const std::string& sentence) {
  CheckResult result;
  result.case_name = case_name;
  result.time = time;
  result.commit = commit;
  result.verdict = CheckVerdict::Failed;
  result.sentence = sentence;
  return result;
}

StoredVerdict verdict_to_store(const CheckResult& result) {
  StoredVerdict verdict{result.time, result.verdict, {}};
  for (const CheckResult::Metric& metric : result.metrics) {
    const CheckVerdict found = metric.accepted ? CheckVerdict::Regression : metric.verdict;
    if (found != CheckVerdict::Pass) verdict.metrics[metric.id] = found;
  }
  if (!result.structure.empty()) verdict.metrics["structure"] = CheckVerdict::Changed;
  return verdict;
}

}  // namespace waitdiag
