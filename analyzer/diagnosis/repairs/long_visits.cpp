// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/long_visits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "analyzer/trace/parallel/parallel.hpp"

namespace waitdiag {
namespace {

constexpr double kAsLong = 0.9;           // of the longest rank's time
constexpr std::size_t kFewestRanks = 3;   // that run it
constexpr std::size_t kFewestVisits = 3;  // of each of them, on average
constexpr double kLong = 1.5;             // times a usual visit
constexpr double kFewLong = 1.0 / 3;      // of the visits are long
constexpr double kMuch = 0.1;             // of all time of the cause is unusual

struct OneVisit {
  std::uint32_t gap = 0;
  double nanoseconds = 0;
};
using Visits = std::vector<std::vector<OneVisit>>;  // of one cause, by location

bool run_alike(const Trace& trace, const CausePlaces& places, std::size_t cause) {
  double least = 0, most = 0;
  std::size_t ranks = 0, pieces = 0;
  for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
    const Location location = trace.main_location(Rank(rank));
    const double time = places.total(location, cause);
    if (time <= 0) continue;
    least = ranks++ == 0 ? time : std::min(least, time);
    most = std::max(most, time);
    pieces += places.pieces(location, cause);
  }
  return ranks >= kFewestRanks && least >= kAsLong * most && pieces >= kFewestVisits * ranks;
}

// Only of those causes that may count.
std::vector<Visits> visits_of_causes(const Trace& trace, const CausePlaces& places,
                                     const std::vector<bool>& counts) {
  std::vector<Visits> visits(counts.size(), Visits(trace.timelines().size()));
  for_each_index(trace.ranks(), [&](std::size_t rank) {
    const Location location = trace.main_location(Rank(static_cast<std::uint32_t>(rank)));
    places.for_each_occurrence(location, [&](std::uint32_t cause, Place where, double nanoseconds) {
      if (where % 2 != 0 || !counts[cause]) return;
      std::vector<OneVisit>& here = visits[cause][index(location)];
      if (here.empty() || here.back().gap != where / 2) here.push_back({where / 2, 0});
      here.back().nanoseconds += nanoseconds;
    });
  });
  return visits;
}

Change without_unusual(const Visits& visits) {
  Change change;
  std::vector<double> times;
  for (const std::vector<OneVisit>& of_location : visits)
    for (const OneVisit& visit : of_location) times.push_back(visit.nanoseconds);
  if (times.empty()) return change;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::ranges::nth_element(times, middle);
  const double usual = *middle;
  double all = 0, unusual = 0, number = 0;
  for (const double time : times) {
    all += time;
    if (time <= kLong * usual) continue;
    ++number;
    unusual += time - usual;
  }
  if (number > kFewLong * static_cast<double>(times.size()) || unusual < kMuch * all) return change;
  change.savings.resize(visits.size());
  for (std::size_t l = 0; l < visits.size(); ++l)
    for (const auto& [gap, time] : visits[l])
      if (time > kLong * usual)
        change.savings[l].push_back({gap, false, Duration(std::llround(time - usual))});
  return change;
}

// `waited`: what each of the others waited for the cause, if one at a time runs it. What is saved was waited for.
bool explains_more(const Trace& trace, double waited, std::span<const Time> ends) {
  constexpr double kHalf = 0.5, kNoMore = 1.5;
  const auto saved = [&](Time end) { return static_cast<double>((trace.end() - end).count()); };
  return saved(ends[0]) < kHalf * waited && saved(ends[1]) > kHalf * waited &&
         saved(ends[1]) <= kNoMore * waited;
}

}  // namespace

void shorten_long_visits(const Trace& trace, const CausePlaces& places, const Dependencies& dependencies,
                         std::span<const double> waited, std::span<Change> changes) {
  std::vector<bool> counts(changes.size());
  bool any = false;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    counts[i] = changes[i].shared.empty() && !places.is_needless(i) && run_alike(trace, places, i);
    any = any || counts[i];
  }
  if (!any) return;
  const std::vector<Visits> visits = visits_of_causes(trace, places, counts);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::array<Change, 2> both{Change{.savings = changes[i].savings}, without_unusual(visits[i])};
    if (both[1].savings.empty()) continue;
    const double by_others = waited[i] / static_cast<double>(trace.ranks() - 1);
    if (explains_more(trace, by_others, retimed_ends(trace, dependencies, both))) changes[i] = both[1];
  }
}

}  // namespace waitdiag
