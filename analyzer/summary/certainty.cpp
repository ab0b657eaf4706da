// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/certainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analyzer/diagnosis/efficiency/efficiency.hpp"
#include "analyzer/results/leading_ranks.hpp"
#include "analyzer/results/short_naps.hpp"
#include "analyzer/summary/report_rows.hpp"
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

// Seconds that one sample represents; 0: nothing is known through samples.
double sampling_period(const Trace& trace) {
  double time = 0, weight = 0;
  for (const Timeline& timeline : trace.timelines()) {
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
      for (const ComputationPiece& piece : timeline.pieces(gap))
        if (piece.call_path == kNoCallPath) time += seconds(piece.time);
      for (const ComputationSample& sample : timeline.samples(gap)) weight += sample.weight;
    }
  }
  return weight > 0 ? time / weight : 0;
}

// The seconds of each call path that are known through samples only, by the name that causes have.
class Sampled {
  using ByRank = std::map<std::int64_t, double>;
  using ByName = std::unordered_map<std::string, ByRank>;

 public:
  Sampled(const Trace& trace, const Diagnosis& found, const std::vector<Report::Cause>& causes)
      : period_(sampling_period(trace)) {
    if (period_ == 0) return;
    for (const Report::Cause& cause : causes) asked_.insert(cause.call_path);
    note_ends(trace);
    CallPathId last = kNoCallPath;
    ByRank* of_last = nullptr;
    std::unordered_set<std::string> exact;  // on some ranks: teams, of which it is known how long they waited
    for (const ProfileEntry& entry : found.compared().profile.entries) {  // by call path
      if (entry.call_path == kNoCallPath) continue;
      if (entry.visits > 0) {
        if (is_asked(trace, entry.call_path)) exact.insert(trace.call_path_name(entry.call_path));
        continue;
      }
      const auto rank = static_cast<std::int64_t>(trace.rank(entry.location));
      if (entry.call_path != last) of_last = of_path(trace, entry.call_path, seconds_);
      last = entry.call_path;
      if (of_last != nullptr) (*of_last)[rank] += entry.nanoseconds / kSecond;
      all_[rank] += entry.nanoseconds / kSecond;
    }
    for (const std::string& name : exact) seconds_.erase(name);
    count_samples(trace, found.compared().activities);
  }

  bool knows(const Report::Cause& cause) const { return seconds_.contains(cause.call_path); }
  double samples_of_excess(const Report::Cause& cause) const { return cause.excess_s / period_; }

  // How many standard errors more samples than of another cause lie on the late ranks, compared with the other ranks.
  // The samples themselves: how stretches were divided may have given all to one of two causes. None: all are late.
  std::optional<double> apart(const Report::Cause& cause, const Report::Cause& other) const {
    const std::vector<std::int64_t> late = leading_ranks(cause.ranks);  // ascending
    const double others = static_cast<double>(all_.size()) - static_cast<double>(late.size());
    if (others < 1) return {};
    const ByRank &of_cause = samples_of(cause), &of_other = samples_of(other);
    const double part = static_cast<double>(late.size()) / others;
    double difference = 0, variance = 0;
    for (const auto& [rank, all] : all_samples_) {
      const double weight = std::ranges::binary_search(late, rank) ? 1 : -part;
      const double one = on_rank(of_cause, rank), another = on_rank(of_other, rank), more = one - another;
      difference += weight * more;
      // Of a fixed number of samples each falls on the one, on the other one, or on neither.
      variance += weight * weight * (one + another - more * more / all);
    }
    return difference / std::sqrt(std::max(variance, 1.0));
  }

  // Standard error of a share of the waiting. Samples on a late rank fall on the cause or on what else runs there by
  // chance, and so do those on the ranks that it is compared with.
  double error(const Report::Cause& cause, double excess_of_all, double share_of_all) const {
    double variance = 0;  // in samples
    const ByRank& own = seconds_.at(cause.call_path);
    const std::vector<std::int64_t> late = leading_ranks(cause.ranks);
    for (const std::int64_t rank : late) {
      const double time = on_rank(own, rank);
      variance += std::max(time > 0 ? time * (1 - time / all_.at(rank)) / period_ : 0, 1.0);
    }
    const double others = static_cast<double>(all_.size()) - static_cast<double>(late.size());
    const double compared = 1 + 1 / std::max(others, 1.0);
    return share_of_all * std::sqrt(variance * compared) / std::max(excess_of_all / period_, 1.0);
  }

 private:
  const ByRank& samples_of(const Report::Cause& cause) const {
    static const ByRank kNone;
    const auto found = samples_.find(cause.call_path);
    return found == samples_.end() ? kNone : found->second;
  }
  static double on_rank(const ByRank& of, std::int64_t rank) {
    const auto found = of.find(rank);
    return found == of.end() ? 0 : found->second;
  }

  struct Weight {
    CallPathId call_path;
    std::int64_t rank;
    double weight;
  };
  // By the call path that stands for theirs.
  void count_samples(const Trace& trace, const Activities& activities) {
    std::vector<Weight> weights;
    std::vector<double> of_location(trace.call_paths().size() + 1);  // by call path, the last one unknown
    const auto weight_of = [&](CallPathId path) -> double& {
      return of_location[std::min(std::size_t{index(path)}, of_location.size() - 1)];
    };
    for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) {
      const Timeline& timeline = trace.timelines()[l];
      std::vector<CallPathId> seen;
      for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
        for (const ComputationSample& sample : timeline.samples(gap)) {
          const CallPathId path =
              activities.call_path(activities.slot(trace.without_sites(sample.call_path)));
          if (weight_of(path) == 0) seen.push_back(path);
          weight_of(path) += sample.weight;
        }
      for (const CallPathId path : seen)
        weights.push_back(
            {path, static_cast<std::int64_t>(trace.rank(Location(l))), std::exchange(weight_of(path), 0)});
    }
    std::ranges::stable_sort(weights, {}, &Weight::call_path);
    CallPathId last = kNoCallPath;
    ByRank* of_last = nullptr;
    for (const auto& [path, rank, weight] : weights) {
      all_samples_[rank] += weight;
      if (path == kNoCallPath) continue;
      if (path != last) of_last = of_path(trace, path, samples_);
      last = path;
      if (of_last != nullptr) (*of_last)[rank] += weight;
    }
  }

  // Nothing is asked of most of many call paths: they need no names.
  void note_ends(const Trace& trace) {
    for (const Region& region : trace.regions())
      ends_one_.push_back(
          std::ranges::any_of(asked_, [&](const std::string& name) { return name.ends_with(region.name); }));
  }
  // Perhaps.
  bool is_asked(const Trace& trace, CallPathId path) const {
    return ends_one_[index(trace.call_paths()[index(path)].region)];
  }
  ByRank* of_path(const Trace& trace, CallPathId path, ByName& all) const {
    if (!is_asked(trace, path)) return nullptr;
    const std::string name = trace.call_path_name(path);
    return asked_.contains(name) ? &all[name] : nullptr;
  }

  double period_;
  std::unordered_set<std::string> asked_;  // names of the causes
  std::vector<bool> ends_one_;             // by region: the name of a cause ends with its name
  ByName seconds_, samples_;
  ByRank all_samples_, all_;
};

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
Closest closest_of(const Sampled& sampled, const std::vector<Report::Cause>& causes,
                   const Report::Cause& cause) {
  Closest closest;
  for (const Report::Cause& other : causes) {
    if (other.function == cause.function || !sampled.knows(other)) continue;
    const double more = sampled.apart(cause, other).value_or(kSure);
    // A larger cause has more of the samples, as it should.
    const double apart = other.share_of_waiting > cause.share_of_waiting ? std::abs(more) : more;
    if (apart < closest.apart) closest = {&other, apart};
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
  const Sampled sampled(trace, found, report.causes);
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
