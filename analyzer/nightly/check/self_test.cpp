// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/self_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>

#include "analyzer/nightly/check/history.hpp"
#include "analyzer/nightly/check/judge.hpp"
#include "analyzer/nightly/compare/figures.hpp"
#include "analyzer/nightly/statistics/median.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

constexpr std::uint64_t kDraws = 500;

struct JudgedFigure {
  const FigureOf* figure;
  MetricRule rule;
};
using NightReports = std::vector<const Report*>;

class NightLaboratory {
 public:
  NightLaboratory(const CheckSettings& settings) : settings_(settings) {
    for (const FigureOf& figure : figures_compared()) {
      const auto rule = settings.metrics.find(figure.id);
      if (rule != settings.metrics.end() && rule->second.judged) figures_.push_back({&figure, rule->second});
    }
  }

  // The worst verdict on a night whose run times are multiplied by `factor`.
  CheckResult::Verdict judge(const std::vector<NightReports>& nights, const NightReports& tonight,
                             double factor) const {
    std::vector<Evidence> evidence;
    std::vector<bool> lower;
    for (const JudgedFigure& one : figures_) {
      const bool shifted = std::string("runtime_s") == one.figure->id;
      if (factor != 1 && !shifted) continue;  // the effect of a slower run on the others is not known
      Question question = question_of(one, nights);
      question.today = values(tonight, *one.figure, shifted ? factor : 1);
      if (question.today.empty()) continue;
      evidence.push_back(evidence_of(question));
      lower.push_back(one.rule.lower_is_better);
    }
    CheckResult::Verdict worst = CheckResult::Verdict::Pass;
    for (const CheckResult::Verdict verdict : judged(evidence, lower, settings_.alpha))
      worst = std::max(worst, verdict);
    return worst;
  }

 private:
  static Runs values(const NightReports& night, const FigureOf& figure, double factor) {
    Runs values;
    for (const Report* report : night)
      if (const double value = factor * figure.value(*report); std::isfinite(value)) values.push_back(value);
    return values;
  }
  Question question_of(const JudgedFigure& one, const std::vector<NightReports>& nights) const {
    Question question;
    question.relative = one.rule.threshold;
    question.absolute = one.rule.at_least;
    question.known_nights = settings_.known_nights;
    Runs totals;
    for (const NightReports& night : nights) {
      if (Runs found = values(night, *one.figure, 1); !found.empty()) question.nights.push_back(found);
      for (const Report* report : night) totals.push_back(report->time.total_s);
    }
    if (!totals.empty())
      question.absolute = std::max(question.absolute, one.rule.at_least_of_total * median(totals));
    return question;
  }

  const CheckSettings& settings_;
  std::vector<JudgedFigure> figures_{};
};

std::vector<NightReports> latest_level(const std::vector<Store>& series,
                                       std::vector<std::vector<StoredNight>>& keep) {
  std::vector<NightReports> largest;
  for (const Store& store : series) {
    keep.push_back(nights_of(store));
    std::vector<NightReports> nights;
    for (const std::size_t index : level_of(keep.back(), store.acceptances, "runtime_s").reference) {
      NightReports& night = nights.emplace_back();
      for (const StoredRun* run : keep.back()[index].runs) night.push_back(&run->report);
    }
    if (nights.size() > largest.size()) largest = std::move(nights);
  }
  return largest;
}

// Shuffles the given runs (Fisher and Yates), with an engine that is the same on all platforms.
void shuffle(NightReports& runs, std::mt19937& engine) {
  for (std::size_t i = runs.size(); i > 1; --i) std::swap(runs[i - 1], runs[engine() % i]);
}

void draw_nights(const std::vector<NightReports>& nights, const NightLaboratory& laboratory, SelfTest& test) {
  std::mt19937 engine(1);
  NightReports runs;
  for (const NightReports& night : nights) runs.insert(runs.end(), night.begin(), night.end());
  for (; test.draws < kDraws; ++test.draws) {
    shuffle(runs, engine);
    std::vector<NightReports> drawn;
    auto next = runs.begin();
    for (const NightReports& night : nights) {
      const auto end = next + static_cast<std::ptrdiff_t>(night.size());
      drawn.emplace_back(next, end);
      next = end;
    }
    const NightReports tonight = std::move(drawn.back());
    drawn.pop_back();
    test.draw_alarms += laboratory.judge(drawn, tonight, 1) == CheckResult::Verdict::Regression;
    for (SelfTest::Planted& planted : test.planted) {
      const CheckResult::Verdict verdict = laboratory.judge(drawn, tonight, 1 + planted.slower);
      planted.found += verdict == CheckResult::Verdict::Regression;
      planted.unsure += verdict == CheckResult::Verdict::Inconclusive;
    }
  }
}

}  // namespace

SelfTest self_test(const std::vector<Store>& series, const CheckSettings& settings) {
  SelfTest test{.known_nights = settings.known_nights, .planted = {{0.03}, {0.05}, {0.1}, {0.2}}};
  std::vector<std::vector<StoredNight>> keep;
  const std::vector<NightReports> nights = latest_level(series, keep);
  test.nights = nights.size();
  for (const NightReports& night : nights) test.runs += night.size();
  if (nights.size() < 2) return test;
  const NightLaboratory laboratory(settings);
  for (std::size_t i = 0; i < nights.size(); ++i) {
    std::vector<NightReports> others = nights;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    test.night_alarms += laboratory.judge(others, nights[i], 1) == CheckResult::Verdict::Regression;
  }
  draw_nights(nights, laboratory, test);
  return test;
}

void write_self_test(const SelfTest& test, std::ostream& out) {
  if (test.nights < 2) {
    out << fmt::format("There are {} of one kind in the store: an A/A test needs two at least.\n",
                       plural(test.nights, "night"));
    return;
  }
  out << fmt::format("A/A test on {} of {}, which are taken to be alike:\n", plural(test.runs, "run"),
                     plural(test.nights, "night"));
  const auto share = [](std::uint64_t part, std::uint64_t all) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(all));
  };
  constexpr double kNoneSeen = 3;  // rule of three: 95 % limit where nothing was seen, 3 / n
  const double most = std::min(1.0, kNoneSeen / static_cast<double>(test.nights));
  out << fmt::format(
      "  each night against the others      {} false ({})\n", plural(test.night_alarms, "alarm"),
      test.night_alarms > 0 ? share(test.night_alarms, test.nights)
                            : fmt::format("less than {:.0f} % with 95 % confidence", 100 * most));
  out << fmt::format("  {} nights drawn from all runs     {} false ({})\n", test.draws,
                     plural(test.draw_alarms, "alarm"), share(test.draw_alarms, test.draws));
  for (const SelfTest::Planted& planted : test.planted)
    out << fmt::format("  the same, run time {:2.0f} % longer      {} found, {} inconclusive\n",
                       100 * planted.slower, share(planted.found, test.draws),
                       share(planted.unsure, test.draws));
  if (test.runs < kRunsThatPersist * test.nights)
    out << fmt::format(
        "One night of fewer than {} runs raises no alarm, only a second one: record more (--runs).\n",
        kRunsThatPersist);
  if (test.nights <= test.known_nights)
    out << fmt::format("Before {} are known, one night alone raises no alarm, only a second one.\n",
                       plural(test.known_nights, "night"));
}

}  // namespace waitdiag
