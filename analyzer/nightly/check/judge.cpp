// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/judge.hpp"

#include <algorithm>
#include <cmath>

#include "analyzer/nightly/statistics/median.hpp"
#include "analyzer/nightly/statistics/night_test.hpp"
#include "analyzer/nightly/statistics/rank_test.hpp"

namespace waitdiag {
namespace {

Runs flattened(const std::vector<Runs>& nights) {
  Runs all;
  for (const Runs& night : nights) all.insert(all.end(), night.begin(), night.end());
  return all;
}

double limit_of(const Question& question, double reference) {
  return std::max(question.relative * std::abs(reference), question.absolute);
}

constexpr double kBeyondDoubt = 0.001;
// Nights that agree were picked because they do, and their spread is estimated from a few: p is multiplied by
// five.
constexpr double kDoubtOfNights = 5;

// Returns whether the runs of one night suffice.
bool measure(const Question& question, const std::vector<Runs>& nights, const Runs& today,
             Evidence& evidence) {
  const Runs before = flattened(nights);
  const Shift by = shift(before, today);
  evidence.before = median(before);
  evidence.after = median(today);
  evidence.shift = by.estimate;
  evidence.low = by.low;
  evidence.high = by.high;
  evidence.runs = today.size();
  evidence.reference_runs = before.size();
  evidence.reference_nights = nights.size();
  const RankTest rank = rank_test(before, today);
  const NightTest night = night_test(nights, today);
  evidence.z = night.z;
  const bool up = by.estimate > 0;
  evidence.p = up ? rank.greater : rank.less;
  const double by_night = up ? night.greater : night.less;
  if (night.nights_differ) evidence.p = std::max(evidence.p, std::min(1.0, kDoubtOfNights * by_night));
  evidence.one_night_can_tell = nights.size() >= question.known_nights && !night.nights_differ;
  return today.size() >= kRunsThatPersist && nights.size() >= question.known_nights &&
         (!night.nights_differ || by_night <= kBeyondDoubt);
}

// The few runs of one night may fall into a bad hour: the preceding nights are included if they agree.
void add_agreeing_nights(const Question& question, Evidence& evidence) {
  std::vector<Runs> nights = question.nights;
  Runs together = question.today;
  bool agreed = false;
  for (const Runs& night : question.recent) {
    const double by = median(night) - evidence.before;
    if (by * evidence.shift <= 0 || std::abs(by) <= evidence.limit) continue;
    const auto same = std::find(nights.begin(), nights.end(), night);
    if (same != nights.end()) nights.erase(same);
    together.insert(together.end(), night.begin(), night.end());
    agreed = true;
  }
  if (!agreed || nights.empty()) return;
  measure(question, nights, together, evidence);
  evidence.persistent = true;
}

}  // namespace

Evidence evidence_of(const Question& question) {
  Evidence evidence;
  evidence.after = median(question.today);
  evidence.runs = question.today.size();
  evidence.deviation = deviation_within_nights(question.nights);
  if (question.nights.empty()) return evidence;
  evidence.persistent = measure(question, question.nights, question.today, evidence);
  evidence.limit = limit_of(question, evidence.before);
  if (!evidence.persistent && std::abs(evidence.shift) > evidence.limit)
    add_agreeing_nights(question, evidence);
  evidence.practical = std::abs(evidence.shift) > evidence.limit;
  return evidence;
}

std::size_t runs_missing(const Evidence& evidence, double alpha) {
  constexpr std::size_t kMost = 100;
  constexpr double kClear = 2.33;  // deviations: a chance of 1 % each way
  if (!evidence.persistent && !evidence.one_night_can_tell) return 0;
  const double reference = static_cast<double>(evidence.reference_runs);
  for (std::size_t more = 0; more <= kMost; ++more) {
    const std::size_t runs = evidence.runs + more;
    const double error = std::isfinite(evidence.deviation)
                             ? evidence.deviation * std::sqrt(1 / static_cast<double>(runs) + 1 / reference)
                             : 0;
    const bool reachable = smallest_p(evidence.reference_runs, runs) / 2 <= alpha;
    if (more > 0 && runs >= kRunsThatPersist && reachable && std::abs(evidence.shift) >= kClear * error)
      return more;
  }
  return 0;
}

std::vector<CheckResult::Verdict> judged(const std::vector<Evidence>& figures,
                                         const std::vector<bool>& lower_is_better, double alpha) {
  using Verdict = CheckResult::Verdict;
  std::vector<double> p;
  for (const Evidence& one : figures) p.push_back(one.p);
  const std::vector<double> remaining = adjusted(p);
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Evidence& one = figures[i];
    if (!one.practical) {
      verdicts.push_back(Verdict::Pass);
    } else if (remaining[i] > alpha || !one.persistent) {
      verdicts.push_back(Verdict::Inconclusive);
    } else {
      verdicts.push_back((one.shift > 0) == lower_is_better[i] ? Verdict::Regression : Verdict::Improved);
    }
  }
  return verdicts;
}

}  // namespace waitdiag
