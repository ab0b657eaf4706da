// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/summary/sampled_causes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "analyzer/results/leading_ranks.hpp"

namespace waitdiag {
namespace {

// The names of few of many call paths are asked for: the others need no names.
class AskedNames {
 public:
  AskedNames(const Trace& trace, const std::vector<Report::Cause>& causes)
      : trace_(trace), known_(trace.call_paths().size()) {
    for (const Report::Cause& cause : causes) names_.insert(cause.call_path);
    for (const Region& region : trace.regions())
      ends_one_.push_back(
          std::ranges::any_of(names_, [&](const std::string& name) { return name.ends_with(region.name); }));
  }
  // Nothing: it is not asked for.
  const std::string* name_of(CallPathId path) {
    if (path == kNoCallPath || !ends_one_[index(trace_.call_paths()[index(path)].region)]) return nullptr;
    std::optional<const std::string*>& known = known_[index(path)];
    if (known) return *known;
    const auto name = names_.find(trace_.call_path_name(path));
    known = name == names_.end() ? nullptr : &*name;
    return *known;
  }

 private:
  const Trace& trace_;
  std::unordered_set<std::string> names_;
  std::vector<bool> ends_one_;                            // by region: one of the names ends with its name
  std::vector<std::optional<const std::string*>> known_;  // by call path
};

bool any_samples(const Trace& trace) {
  return std::ranges::any_of(trace.timelines(), [](const Timeline& timeline) {
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap)
      if (!timeline.samples(gap).empty()) return true;
    return false;
  });
}

using Ends = std::uint64_t;                   // Timeline::calls_around
using Place = std::pair<Ends, std::int64_t>;  // and the rank

struct Row {
  Place place;
  Duration time{};
  double samples = 0;
};
struct AskedRow {
  Place place;
  const std::string* name = nullptr;
  double samples = 0;
};

// What samples tell between the same two calls, all of them and those with names that are asked for.
class Collector {
 public:
  Collector(const Trace& trace, const Activities& activities, AskedNames& asked)
      : trace_(trace), activities_(activities), asked_(asked) {
    for (std::uint32_t l = 0; l < trace.timelines().size(); ++l) add(Location(l));
    std::ranges::sort(rows_, {}, &Row::place);
    std::ranges::sort(asked_rows_, {}, &AskedRow::place);
  }

  double period() const { return samples_ > 0 ? seconds(time_) / samples_ : 0; }
  std::size_t ranks() const { return ranks_.size(); }

  const std::vector<Row>& rows() const { return rows_; }  // by place, which several threads may share
  const std::vector<AskedRow>& asked() const { return asked_rows_; }  // the same

 private:
  void add(Location location) {
    const Timeline& timeline = trace_.timeline(location);
    const auto rank = static_cast<std::int64_t>(trace_.rank(location));
    std::unordered_map<Ends, Row> rows;
    std::map<std::pair<Ends, const std::string*>, double> asked;
    for (std::size_t gap = 0; gap < timeline.gaps(); ++gap) {
      Duration time{};
      for (const ComputationPiece& piece : timeline.pieces(gap))
        if (piece.call_path == kNoCallPath) time += piece.time;
      const auto samples = timeline.samples(gap);
      if (time == Duration::zero() && samples.empty()) continue;
      const Ends ends = timeline.calls_around(gap);
      Row& row = rows.try_emplace(ends, Row{{ends, rank}}).first->second;
      row.time += time;
      for (const ComputationSample& sample : samples) {
        row.samples += sample.weight;
        if (const std::string* const name = name_of(sample.call_path)) asked[{ends, name}] += sample.weight;
      }
    }
    for (const auto& [ends, row] : rows) {
      time_ += row.time;
      samples_ += row.samples;
      if (row.time > Duration::zero()) ranks_.insert(rank);
      if (row.samples > 0) rows_.push_back(row);
    }
    for (const auto& [of, samples] : asked) asked_rows_.push_back({{of.first, rank}, of.second, samples});
  }

  // Of the call path that stands for it. Nothing: no cause has it.
  const std::string* name_of(CallPathId sampled) {
    return asked_.name_of(activities_.call_path(activities_.slot(trace_.without_sites(sampled))));
  }

  const Trace& trace_;
  const Activities& activities_;
  AskedNames& asked_;
  Duration time_{};
  double samples_ = 0;
  std::vector<Row> rows_;
  std::vector<AskedRow> asked_rows_;
  std::unordered_set<std::int64_t> ranks_;  // with computation that is known through samples
};

// visit(index, samples of the one, of the other one)
template <typename Samples, typename Visit>
void for_each_of_either(const Samples& some, const Samples& others, Visit visit) {
  auto one = some.begin(), other = others.begin();
  while (one != some.end() || other != others.end()) {
    const bool first = other == others.end() || (one != some.end() && one->of <= other->of);
    const bool second = one == some.end() || (other != others.end() && other->of <= one->of);
    visit(first ? one->of : other->of, first ? one->samples : 0.0, second ? other->samples : 0.0);
    one += first ? 1 : 0;
    other += second ? 1 : 0;
  }
}

}  // namespace

SampledCauses::SampledCauses(const Trace& trace, const Diagnosis& found,
                             const std::vector<Report::Cause>& causes) {
  if (!any_samples(trace)) return;
  AskedNames asked(trace, causes);
  const Collector collected(trace, found.compared().activities, asked);
  period_ = collected.period();
  if (period_ == 0) return;
  ranks_ = collected.ranks();
  // Kinds without samples of a cause tell nothing.
  std::map<Ends, std::uint32_t> kinds;
  for (const AskedRow& row : collected.asked()) kinds.try_emplace(row.place.first);
  for (std::uint32_t next = 0; auto& [ends, kind] : kinds) kind = next++;
  samples_of_kind_.resize(kinds.size());
  std::map<Place, std::uint32_t> places;
  for (const Row& row : collected.rows()) {
    const auto kind = kinds.find(row.place.first);
    if (kind == kinds.end()) continue;
    const auto [place, is_new] = places.try_emplace(row.place, static_cast<std::uint32_t>(stretches_.size()));
    if (is_new) stretches_.push_back({kind->second, row.place.second});
    Stretches& stretches = stretches_[place->second];
    stretches.periods += seconds(row.time) / period_;
    stretches.samples += row.samples;
    samples_of_kind_[kind->second] += row.samples;
  }
  const auto add_to = [](std::vector<Samples>& sums, std::uint32_t of, double samples) {
    if (sums.empty() || sums.back().of != of) sums.push_back({of});
    sums.back().samples += samples;
  };
  for (const AskedRow& row : collected.asked()) {
    OfCause& cause = of_cause_[*row.name];
    add_to(cause.kinds, kinds.at(row.place.first), row.samples);
    add_to(cause.stretches, places.at(row.place), row.samples);
  }
  std::unordered_set<std::string> exact;  // on some ranks: teams, of which it is known how long they waited
  for (const ProfileEntry& entry : found.compared().profile.entries)
    if (const std::string* const name = asked.name_of(entry.call_path))
      (entry.visits > 0 ? exact : known_).insert(*name);
  for (const std::string& name : exact) known_.erase(name);
}

double SampledCauses::Weights::of(std::int64_t rank) const {
  return std::ranges::binary_search(late, rank) ? of_late : of_others;
}

const SampledCauses::OfCause& SampledCauses::samples_of(const Report::Cause& cause) const {
  static const OfCause kNone;
  const auto found = of_cause_.find(cause.call_path);
  return found == of_cause_.end() ? kNone : found->second;
}

// What a rank has not shown may just not have been sampled: as if one more of its samples were as those of all.
double SampledCauses::share_of(const OfCause& cause, const Stretches& here, double samples) const {
  const auto of_all = std::ranges::lower_bound(cause.kinds, here.kind, {}, &Samples::of);
  const double of_kind = of_all == cause.kinds.end() || of_all->of != here.kind ? 0 : of_all->samples;
  const double usual = (of_kind + 0.5) / (samples_of_kind_[here.kind] + 1);
  return (samples + usual) / (here.samples + 1);
}

double SampledCauses::weighted(const OfCause& cause, const Weights& weights) const {
  double sum = 0;
  for (const auto& [of, samples] : cause.stretches)
    sum += weights.of(stretches_[of].rank) * stretches_[of].per_sample() * samples;
  return sum;
}

std::vector<double> SampledCauses::apart(const Report::Cause& cause,
                                         const std::vector<const Report::Cause*>& others) const {
  Weights weights{leading_ranks(cause.ranks)};
  if (weights.late.size() >= ranks_) return {};
  const auto late = static_cast<double>(weights.late.size());
  weights.of_others = -late / (static_cast<double>(ranks_) - late);
  const OfCause& own = samples_of(cause);
  const double of_own = weighted(own, weights);
  std::vector<double> apart;
  for (const Report::Cause* const other : others) {
    const OfCause& beside = samples_of(*other);
    double variance = 0;
    for_each_of_either(own.stretches, beside.stretches, [&](std::uint32_t of, double one, double another) {
      const Stretches& here = stretches_[of];
      const double first = share_of(own, here, one), second = share_of(beside, here, another);
      // Of a fixed number of samples each falls on the one, on the other one, or on neither.
      variance += here.square(weights.of(here.rank)) * (first + second - (first - second) * (first - second));
    });
    apart.push_back((of_own - weighted(beside, weights)) / std::sqrt(std::max(variance, 1.0)));
  }
  return apart;
}

double SampledCauses::error(const Report::Cause& cause, double excess_of_all, double share_of_all) const {
  const Weights weights{leading_ranks(cause.ranks)};
  const OfCause& own = samples_of(cause);
  double variance = 0;  // in samples
  for (const auto& [of, samples] : own.stretches) {
    const Stretches& here = stretches_[of];
    const double share = share_of(own, here, samples);
    variance += here.square(weights.of(here.rank)) * share * (1 - share);
  }
  const double late = static_cast<double>(weights.late.size());
  const double compared = 1 + 1 / std::max(static_cast<double>(ranks_) - late, 1.0);
  return share_of_all * std::sqrt(std::max(variance, late) * compared) /
         std::max(excess_of_all / period_, 1.0);
}

}  // namespace waitdiag
