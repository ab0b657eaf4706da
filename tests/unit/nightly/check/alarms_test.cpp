// Error rates of the verdict, from series drawn at random with a known noise.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "analyzer/nightly/check/judge.hpp"

namespace waitdiag {
namespace {

using Verdict = CheckResult::Verdict;

// Run times of 40 s with normal noise: `of_runs` of each run, `of_nights` common to the runs of a night.
class Cluster {
 public:
  Cluster(double of_runs, double of_nights, unsigned seed)
      : of_runs_(of_runs), of_nights_(of_nights), random_(seed) {}
  Runs night(std::size_t runs, double factor = 1) {
    const double tonight = of_nights_ * draw_(random_);
    Runs night;
    for (std::size_t i = 0; i < runs; ++i)
      night.push_back(40 * factor * (1 + tonight + of_runs_ * draw_(random_)));
    return night;
  }

 private:
  double of_runs_, of_nights_;
  std::mt19937 random_;
  std::normal_distribution<double> draw_{0, 1};
};

struct Shares {
  double regression = 0, inconclusive = 0, improved = 0;
};

// How often a night that is `factor` times as slow is judged one way or the other. All `figures` are judged
// together, as in a real check, each with noise of its own; only the first is shifted.
struct Trial {
  std::size_t nights = 10, runs = 5, figures = 1, known_nights = 5;
  double factor = 1, of_runs = 0.02, of_nights = 0;
  int series = 1000;
};

// A sanitizer looks for memory errors, for which a few series suffice: their shares are too coarse to be
// judged.
#ifdef WAITPROF_SANITIZED
constexpr int kMostSeries = 10;
constexpr double kCoarse = 1;
#else
constexpr int kMostSeries = 100'000;
constexpr double kCoarse = 0;
#endif

Shares shares(const Trial& trial, unsigned seed) {
  const int series = std::min(trial.series, kMostSeries);
  Cluster cluster(trial.of_runs, trial.of_nights, seed);
  Shares shares;
  for (int i = 0; i < series; ++i) {
    std::vector<Evidence> evidence;
    for (std::size_t figure = 0; figure < trial.figures; ++figure) {
      Question question;
      for (std::size_t night = 0; night < trial.nights; ++night)
        question.nights.push_back(cluster.night(trial.runs));
      for (std::size_t night = trial.nights - std::min<std::size_t>(2, trial.nights); night < trial.nights;
           ++night)
        question.recent.push_back(question.nights[night]);
      question.known_nights = trial.known_nights;
      question.today = cluster.night(trial.runs, figure == 0 ? trial.factor : 1);
      evidence.push_back(evidence_of(question));
    }
    const auto verdicts = judged(evidence, std::vector<bool>(trial.figures, true), 0.05);
    const auto any = [&](Verdict verdict) {
      return std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end();
    };
    shares.regression += any(Verdict::Regression);
    shares.inconclusive += !any(Verdict::Regression) && any(Verdict::Inconclusive);
    shares.improved += any(Verdict::Improved);
  }
  return {shares.regression / series, shares.inconclusive / series, shares.improved / series};
}

// The promise: five runs tonight, ten nights of five in the store, noise of 2 %. From 100,000 series each,
// 0.21 % are false alarms and 97.3 % of the shifts are found; with as few series as here, the limits allow
// for three standard deviations.
TEST(Alarms, FindFivePercentAndHardlyEverCryWolf) {
  EXPECT_LE(shares({.series = 4000}, 1).regression, 0.01 + kCoarse);
  EXPECT_GE(shares({.factor = 1.05, .series = 2000}, 2).regression, 0.95 - kCoarse);
}

// The same with four figures whose noise has nothing in common, which is worse than in practice: there are
// more chances for a false alarm, and Benjamini and Hochberg's correction for four tests costs power: 0.67 %
// and 97.0 %.
TEST(Alarms, KeepThePromiseWithSeveralFigures) {
  EXPECT_LE(shares({.figures = 4, .series = 5000}, 1).regression, 0.01 + kCoarse);
  EXPECT_GE(shares({.figures = 4, .factor = 1.05, .series = 2000}, 2).regression, 0.95 - kCoarse);
}

// Five runs against five, with a user who states that nights do not differ: the best test of ten such values
// with 1 % false alarms finds less than 95 %. Shifts that are not found are still reported as worth a look.
TEST(Alarms, FiveAgainstFiveAreAtTheLimitOfWhatCanBeKnown) {
  const Shares slow = shares({.nights = 1, .known_nights = 1, .factor = 1.05}, 2);
  EXPECT_LE(shares({.nights = 1, .known_nights = 1, .series = 2000}, 1).regression, 0.02 + kCoarse);
  EXPECT_GE(slow.regression, 0.90 - kCoarse);
  EXPECT_GE(slow.regression + slow.inconclusive, 0.93 - kCoarse);
}

// Without earlier nights that show how much nights differ, a single night raises no alarm.
TEST(Alarms, OneNightOfReferenceProvesNothing) {
  EXPECT_EQ(shares({.nights = 1, .series = 100}, 1).regression, 0);
  EXPECT_EQ(shares({.nights = 1, .factor = 1.05, .series = 100}, 2).regression, 0);
}

// Other nodes every night: noise that all runs of a night share must not raise an alarm.
TEST(Alarms, NoticeThatNightsDiffer) {
  const Shares same = shares({.of_nights = 0.02}, 1);
  EXPECT_LE(same.regression, 0.03 + kCoarse);
  EXPECT_GE(shares({.factor = 1.25, .of_nights = 0.02}, 2).regression, 0.95 - kCoarse);
}

// One run per night: only the second slow night of three raises the alarm, together with the first.
TEST(Alarms, SingleRunsNeedASecondNight) {
  EXPECT_LE(shares({.runs = 1, .series = 4000}, 1).regression, 0.01 + kCoarse);
  Question question;
  Cluster cluster(0.01, 0, 3);
  for (int night = 0; night < 15; ++night) question.nights.push_back(cluster.night(1));
  question.today = cluster.night(1, 1.2);
  question.recent = {question.nights[13], question.nights[14]};
  EXPECT_EQ(judged({evidence_of(question)}, {true}, 0.05).front(), Verdict::Inconclusive);
  question.recent = {question.nights[14], question.today};
  question.nights.push_back(question.today);
  question.today = cluster.night(1, 1.2);
  EXPECT_EQ(judged({evidence_of(question)}, {true}, 0.05).front(), Verdict::Regression);
}

TEST(Alarms, SayHowManyRunsAreMissing) {
  Question question;
  Cluster cluster(0.05, 0, 4);
  for (int night = 0; night < 10; ++night) question.nights.push_back(cluster.night(5));
  question.today = {41.5, 44};
  const Evidence evidence = evidence_of(question);
  EXPECT_EQ(judged({evidence}, {true}, 0.05).front(), Verdict::Inconclusive);
  EXPECT_GE(runs_missing(evidence, 0.05), 1U);
  EXPECT_LE(runs_missing(evidence, 0.05), 20U);
}

}  // namespace
}  // namespace waitdiag
