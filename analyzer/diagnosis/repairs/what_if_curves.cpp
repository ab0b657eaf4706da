// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/what_if_curves.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace waitdiag {
namespace {

// About a tenth of a second: so many calls are timed again for all points of a run together.
constexpr std::uint64_t kMostCallsOfAllPoints = 4'000'000;
constexpr std::size_t kMostCauses = 3;

std::size_t changes_of_all_points(std::size_t causes) {
  const std::size_t curves = causes + 2;
  return 3 * causes + 3 + 2 + (std::size_t{1} << curves) - curves;
}

bool all_points(const Trace& trace, std::size_t causes, CurvePoints points) {
  if (points != CurvePoints::Small) return points == CurvePoints::All;
  std::uint64_t calls = 0;
  for (const Timeline& timeline : trace.timelines()) calls += timeline.size();
  return calls * changes_of_all_points(causes) <= kMostCallsOfAllPoints;
}

Change part_of(const Change& whole, double share) {
  Change part = whole;
  for (auto* const all : {&part.savings, &part.shared})
    for (std::vector<Saving>& savings : *all)
      for (Saving& saving : savings)
        saving.time = Duration(std::llround(share * static_cast<double>(saving.time.count())));
  part.transfer = 1 - share * (1 - whole.transfer);
  return part;
}

auto saved_at(const Saving& saving) {
  return std::tuple(saving.op, saving.in_call);
}

// Two causes save what they save; but what a rank no longer takes longer holds whatever of a cause it had.
std::vector<Saving> merged(const std::vector<Saving>& a, const std::vector<Saving>& b, bool larger_of_both) {
  std::vector<Saving> all;
  all.reserve(a.size() + b.size());
  std::ranges::merge(a, b, std::back_inserter(all), {}, saved_at, saved_at);
  if (!larger_of_both) return all;
  std::vector<Saving> result;
  for (auto first = all.begin(); first != all.end();) {
    const auto here = [&](const Saving& other) { return saved_at(other) == saved_at(*first); };
    const auto sum = [&](const std::vector<Saving>& list) {
      const auto from = std::ranges::lower_bound(list, saved_at(*first), {}, saved_at);
      const auto to = std::ranges::upper_bound(list, saved_at(*first), {}, saved_at);
      return std::accumulate(from, to, Duration::zero(),
                             [](Duration time, const Saving& saving) { return time + saving.time; });
    };
    result.push_back({first->op, first->in_call, std::max(sum(a), sum(b))});
    first = std::find_if_not(first, all.end(), here);
  }
  return result;
}

Change both(const Change& a, const Change& b, bool larger_of_both) {
  Change result = a;
  const auto add = [&](std::vector<std::vector<Saving>>& savings,
                       const std::vector<std::vector<Saving>>& others) {
    savings.resize(std::max(savings.size(), others.size()));
    for (std::size_t location = 0; location < others.size(); ++location)
      savings[location] = merged(savings[location], others[location], larger_of_both);
  };
  if (!a.shared.empty() || !b.shared.empty()) {
    result.shared = timed(a);
    add(result.shared, timed(b));
  }
  add(result.savings, b.savings);
  result.error = a.error + b.error;
  result.transfer *= b.transfer;
  return result;
}

Duration computation_of(const Timeline& timeline) {
  Duration sum{};
  for (std::uint32_t gap = 0; gap < timeline.gaps(); ++gap)
    sum += timeline.gap_end(gap) - timeline.gap_begin(gap);
  return sum;
}

struct SlowRank {
  Rank rank = kNoRank;
  double longer = 0;  // than the mean of the others, as a share of its own time
};

std::optional<SlowRank> slowest_rank(const Trace& trace) {
  constexpr double kWorthACurve = 0.02;
  if (trace.ranks() < 2) return std::nullopt;
  std::vector<double> times;
  for (std::size_t rank = 0; rank < trace.ranks(); ++rank) {
    const Rank number{static_cast<std::int32_t>(rank)};
    times.push_back(static_cast<double>(computation_of(trace.timeline(trace.main_location(number))).count()));
  }
  const auto slowest = std::ranges::max_element(times);
  const double others =
      (std::accumulate(times.begin(), times.end(), 0.0) - *slowest) / static_cast<double>(times.size() - 1);
  if (*slowest <= 0 || *slowest - others < kWorthACurve * *slowest) return std::nullopt;
  return SlowRank{Rank{static_cast<std::int32_t>(slowest - times.begin())}, 1 - others / *slowest};
}

// All its threads compute faster.
Change as_fast_as_the_others(const Trace& trace, const SlowRank& slow) {
  Change change;
  change.savings.resize(trace.timelines().size());
  for (std::uint32_t location = 0; location < trace.timelines().size(); ++location) {
    if (trace.rank(Location(location)) != slow.rank) continue;
    const Timeline& timeline = trace.timelines()[location];
    for (std::uint32_t gap = 0; gap < timeline.gaps(); ++gap) {
      const auto length = static_cast<double>((timeline.gap_end(gap) - timeline.gap_begin(gap)).count());
      if (length > 0)
        change.savings[location].push_back({gap, false, Duration(std::llround(slow.longer * length))});
    }
  }
  return change;
}

}  // namespace

Change both_repairs(const Change& a, const Change& b) {
  return both(a, b, false);
}

CurvePlan::CurvePlan(const Trace& trace, std::span<const Change> repairs, CurvePoints points) {
  if (points == CurvePoints::None) return;
  const std::size_t causes = std::min(kMostCauses, repairs.size());
  const bool all = all_points(trace, causes, points);
  for (std::size_t cause = 0; cause < causes; ++cause) {
    WhatIfCurve curve{.what = WhatIfCurve::What::Cause, .cause = cause};
    if (all) {
      add_curve(std::move(curve), repairs[cause], {0.25, 0.5, 0.75, 1});
    } else if (cause == 0) {
      add_curve(std::move(curve), repairs[cause], {0.5, 1});
    } else {
      add_curve(std::move(curve), repairs[cause], {1});
    }
  }
  const Change ideal{.savings = {}, .transfer = 0};
  if (all) {
    add_curve({.what = WhatIfCurve::What::Network}, ideal, {0.5, 0.75, 1});
  } else {
    add_curve({.what = WhatIfCurve::What::Network}, ideal, {0.5, 1});
  }
  if (const auto slow = slowest_rank(trace)) {
    WhatIfCurve curve{.what = WhatIfCurve::What::Rank, .rank = slow->rank};
    if (all) {
      add_curve(std::move(curve), as_fast_as_the_others(trace, *slow), {0.5, 1});
    } else {
      add_curve(std::move(curve), as_fast_as_the_others(trace, *slow), {1});
    }
  }
  if (all) add_together();
  wholes_.clear();
}

// The whole repair of a cause is timed anyway.
void CurvePlan::add_curve(WhatIfCurve curve, Change whole, std::initializer_list<double> shares) {
  for (const double share : shares) {
    curve.points.push_back({share});
    if (share < 1) changes_.push_back(part_of(whole, share));
  }
  if (curve.what != WhatIfCurve::What::Cause) changes_.push_back(whole);
  result_.curves.push_back(std::move(curve));
  wholes_.push_back(std::move(whole));
}

void CurvePlan::add_together() {
  result_.together.resize(std::size_t{1} << wholes_.size());
  for (std::size_t set = 0; set < result_.together.size(); ++set) {
    std::optional<Change> change;
    std::size_t members = 0;
    for (std::size_t curve = 0; curve < wholes_.size(); ++curve) {
      if ((set >> curve & 1U) == 0) continue;
      ++members;
      change = change ? both(*change, wholes_[curve], result_.curves[curve].what == WhatIfCurve::What::Rank)
                      : wholes_[curve];
    }
    if (members > 1) changes_.push_back(std::move(*change));
  }
}

WhatIfCurves CurvePlan::curves(Duration unchanged, std::span<const Duration> repaired,
                               std::span<const Duration> changed) && {
  auto next = changed.begin();
  for (WhatIfCurve& curve : result_.curves)
    for (WhatIfCurve::Point& point : curve.points) {
      const bool known = curve.what == WhatIfCurve::What::Cause && point.share == 1;
      point.runtime = known ? repaired[curve.cause] : *next++;
    }
  for (std::size_t set = 0; set < result_.together.size(); ++set) {
    Duration& runtime = result_.together[set];
    if (set == 0) {
      runtime = unchanged;
    } else if ((set & (set - 1)) == 0) {
      std::size_t curve = 0;
      while ((set >> curve & 1U) == 0) ++curve;
      runtime = result_.curves[curve].points.back().runtime;
    } else {
      runtime = *next++;
    }
  }
  return std::move(result_);
}

}  // namespace waitdiag
