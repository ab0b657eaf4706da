// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/certainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "analyzer/diagnosis/efficiency/efficiency.hpp"
#include "analyzer/results/short_naps.hpp"
#include "analyzer/summary/report_rows.hpp"
#include "analyzer/summary/sampled_causes.hpp"
#include "analyzer/wording/labels.hpp"
#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

// Standard errors between a cause and the next one.
constexpr double kSure = 3, kProbable = 1.5;
constexpr double kFewSamples = 10;  // of its excess: at most probable
constexpr double kClose = 0.1;    // of the cause's waiting: how much less the next one has, with exact times
constexpr double kUnclear = 0.5;  // of the waiting: if unexplained, no cause is more than probable
// Of the run: what a repair saves. Who has most of the waiting, but nothing to gain, may only pass on what another does.
constexpr double kNothing = 0.01, kMuch = 0.05;
constexpr double kGoodPart = 0.1;  // of the waiting, of that other one

// The next cause that is a different function.
const Report::Cause* rival_of(const std::vector<Report::Cause>& causes, const Report::Cause& cause) {
  for (const Report::Cause& other : causes)
    if (&other != &cause && other.function != cause.function) return &other;
  return nullptr;
}

// A cause whose repair saves much of the run where that of this one saves nothing.
const Report::Cause* worth_more_than(const Report::Cause& cause, const Report& report) {
  const auto saves = [&report](const Report::Cause& one) {
    return one.gain ? (report.run.runtime_s - one.gain->runtime_s) / report.run.runtime_s : 0;
  };
  if (!cause.gain || saves(cause) > kNothing) return nullptr;
  const Report::Cause* most = nullptr;
  for (const Report::Cause& other : report.causes)
    if (other.function != cause.function && other.share_of_waiting >= kGoodPart && saves(other) >= kMuch &&
        (most == nullptr || saves(other) > saves(*most)))
      most = &other;
  return most;
}

// The cause that samples tell apart from this one least.
struct Closest {
  const Report::Cause* cause = nullptr;
  double apart = kSure;
};
Closest closest_of(const SampledCauses& sampled, const std::vector<Report::Cause>& causes,
                   const Report::Cause& cause) {
  std::vector<const Report::Cause*> others;
  for (const Report::Cause& other : causes)
    if (other.function != cause.function && sampled.knows(other)) others.push_back(&other);
  const std::vector<double> apart = sampled.apart(cause, others);
  Closest closest;
  for (std::size_t i = 0; i < apart.size(); ++i) {
    // A larger cause has more of the samples, as it should.
    const bool larger = others[i]->share_of_waiting > cause.share_of_waiting;
    const double distance = larger ? std::abs(apart[i]) : apart[i];
    if (distance < closest.apart) closest = {others[i], distance};
  }
  return closest;
}

double unexplained_share(const Report& report) {
  return report.time.waiting_s > 0 ? report.unexplained_s / report.time.waiting_s : 0;
}

std::string level_of(const Report& report, const Report::Cause& cause, double error, bool sampled,
                     double samples, double rival_share, double apart) {
  const double ahead = std::abs(cause.share_of_waiting - rival_share);
  const bool close = ahead < kClose * cause.share_of_waiting;
  if (close || (sampled && (ahead < kProbable * error || apart < kProbable))) return "open";
  const bool evidence =
      cause.kind != "communication" && unexplained_share(report) < kUnclear && !short_naps(report, cause);
  if (!evidence || (sampled && (ahead < kSure * error || apart < kSure || samples < kFewSamples)))
    return "probable";
  return "sure";
}

// No repair of what ranks compute saves more than one of them waits, and makes others wait: it does the rest
// of its work as before. How long ranks wait is known exactly, however few samples there are.
double most_to_save(const Trace& trace, const Report& report) {
  std::map<std::int64_t, double> at_stake;
  for (const Report::Wait& wait : report.waits)
    if (wait.waiting)
      for (const Report::ByRank& entry : wait.by_rank) at_stake[entry.rank] += entry.seconds;
  for (const Report::Cause& cause : report.causes)
    for (const Report::ByRank& entry : cause.ranks) at_stake[entry.rank] += entry.seconds;
  double most = report.run.runtime_s;
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Location main = trace.main_location(Rank(rank));
    if (!is_known(trace, main)) continue;
    const double after_its_end = seconds(trace.end() - trace.timeline(main).end());
    most = std::min(most, at_stake[static_cast<std::int64_t>(rank)] + after_its_end + report.unexplained_s);
  }
  return most;
}

// Three standard errors of what a repair saves.
double error_of_gain(double saved, double relative_error, double most) {
  const double error = 3 * std::abs(saved) * relative_error;
  return std::min(error, std::max(std::abs(saved), most - saved));
}

}  // namespace

void add_certainty(const Trace& trace, const Diagnosis& found, Report& report) {
  const SampledCauses sampled(trace, found, report.causes);
  const double most = most_to_save(trace, report);
  double excess = 0, share = 0;
  for (const Report::Cause& cause : report.causes) {
    if (!sampled.knows(cause)) continue;
    excess += cause.excess_s;
    share += cause.share_of_waiting;
  }
  for (Report::Cause& cause : report.causes) {
    if (cause.why.kind.empty()) continue;
    const bool by_samples = sampled.knows(cause);
    const Closest closest = by_samples ? closest_of(sampled, report.causes, cause) : Closest{};
    const Report::Cause* const worth_more = worth_more_than(cause, report);
    const Report::Cause* const rival = worth_more != nullptr      ? worth_more
                                       : closest.cause == nullptr ? rival_of(report.causes, cause)
                                                                  : closest.cause;
    const double error = by_samples ? sampled.error(cause, excess, share) : 0;
    const double samples = by_samples ? sampled.samples_of_excess(cause) : 0;
    const double rival_share = rival == nullptr ? 0 : rival->share_of_waiting;
    Certainty& certainty = cause.certainty;
    certainty.level = worth_more != nullptr
                          ? "open"
                          : level_of(report, cause, error, by_samples, samples, rival_share, closest.apart);
    certainty.error = error;
    if (by_samples) certainty.samples = static_cast<std::uint64_t>(std::llround(samples));
    if (rival != nullptr) {
      certainty.rival = rival->call_path;
      certainty.rival_share = rival_share;
    }
    certainty.text =
        by_samples ? fmt::format("{} of its excess", plural(*certainty.samples, "sample")) : "exact times";
    certainty.text +=
        rival == nullptr
            ? "; no other cause"
            : fmt::format("; {} {} with {}", rival_share > cause.share_of_waiting ? "beside" : "next is",
                          function_label(rival->function), format_share(rival_share));
    if (worth_more != nullptr) certainty.text += ", whose repair saves more";
    if (unexplained_share(report) >= kUnclear)
      certainty.text +=
          fmt::format("; {} of the waiting is unexplained", format_share(unexplained_share(report)));
    if (cause.gain && cause.share_of_waiting > 0)
      cause.gain->error_s +=
          error_of_gain(report.run.runtime_s - cause.gain->runtime_s, error / cause.share_of_waiting, most);
  }
}

}  // namespace waitdiag
