// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/history.hpp"

#include <algorithm>
#include <utility>

namespace waitdiag {
namespace {

class LevelFinder {
 public:
  LevelFinder(const std::vector<StoredNight>& nights, const std::string& metric)
      : nights_(nights), metric_(metric) {}

  void night(std::size_t index) {
    using Verdict = CheckResult::Verdict;
    const auto found = nights_[index].verdict.metrics.find(metric_);
    const Verdict verdict = found == nights_[index].verdict.metrics.end() ? Verdict::Pass : found->second;
    if (verdict == Verdict::Regression || verdict == Verdict::Changed) {
      level_.worse.push_back(index);
    } else if (verdict == Verdict::Improved) {
      better(index);
    } else {
      level_.reference.push_back(index);
      level_.worse.clear();
    }
  }
  void accepted() {
    if (level_.worse.empty()) return;
    level_.reference = std::exchange(level_.worse, {});
    better_.clear();
  }
  Level level() const { return level_; }

 private:
  void better(std::size_t index) {
    constexpr std::size_t kAgreeWithin = 2;  // nights back
    const bool agrees = !better_.empty() && index - better_.back() <= kAgreeWithin;
    better_.push_back(index);
    if (!agrees) return;
    level_.reference = {better_[better_.size() - 2], index};
    level_.worse.clear();
    better_.clear();
  }

  const std::vector<StoredNight>& nights_;
  const std::string& metric_;
  Level level_{};
  std::vector<std::size_t> better_{};
};

}  // namespace

std::vector<StoredNight> nights_of(const Store& store) {
  std::vector<StoredNight> nights;
  for (const StoredRun& run : store.runs) {
    if (nights.empty() || nights.back().time != run.time)
      nights.push_back({.time = run.time, .commit = run.commit});
    nights.back().runs.push_back(&run);
  }
  for (StoredNight& night : nights) {
    const auto verdict = std::find_if(store.verdicts.begin(), store.verdicts.end(),
                                      [&](const StoredVerdict& one) { return one.time == night.time; });
    if (verdict != store.verdicts.end()) night.verdict = *verdict;
  }
  return nights;
}

Level level_of(const std::vector<StoredNight>& nights, const std::vector<Acceptance>& acceptances,
               const std::string& metric) {
  LevelFinder finder(nights, metric);
  auto acceptance = acceptances.begin();
  for (std::size_t i = 0; i < nights.size(); ++i) {
    for (; acceptance != acceptances.end() && acceptance->time < nights[i].time; ++acceptance)
      if (acceptance->metric == metric) finder.accepted();
    finder.night(i);
  }
  for (; acceptance != acceptances.end(); ++acceptance)
    if (acceptance->metric == metric) finder.accepted();
  return finder.level();
}

}  // namespace waitdiag
