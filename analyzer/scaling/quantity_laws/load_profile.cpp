// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/quantity_laws/load_profile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace waitdiag {
namespace {

// Where a rank lies in a run, from 0 to 1 along each dimension. A rank's work may be that of its first cell, or of the
// middle of its cells.
struct RankPlaces {
  const GridLaw* law = nullptr;  // null: the ranks in their order
  double within = 0;             // of a rank's own width: where its place is

  std::vector<int> extents(const Study& study, std::size_t run) const {
    if (law == nullptr) return {study.sizes[run].ranks};
    return law->of_run[run].extents;
  }
  std::vector<double> of(const Grid* grid, int ranks, int rank) const {
    if (grid == nullptr) return {(rank + within) / ranks};
    const std::vector<int> at = grid->coordinates(rank);
    std::vector<double> place;
    for (std::size_t d = 0; d < at.size(); ++d) place.push_back((at[d] + within) / grid->extents[d]);
    return place;
  }
};

// The figures of the largest run over its places.
class Curve {
 public:
  Curve(const Study& study, const RankPlaces& places, const std::vector<double>& figures)
      : extents_(places.extents(study, study.runs.size() - 1)), within_(places.within) {
    if (places.law == nullptr) {
      values_ = figures;
      return;
    }
    const Grid& grid = places.law->of_run.back();
    values_.assign(figures.size(), 0);
    for (std::size_t rank = 0; rank < figures.size(); ++rank)
      values_[cell(grid.coordinates(static_cast<int>(rank)))] = figures[rank];
  }

  double at(const std::vector<double>& place) const {
    std::vector<int> corner(place.size());
    std::vector<double> beyond(place.size());
    for (std::size_t d = 0; d < place.size(); ++d) {
      const double position = place[d] * extents_[d] - within_;
      corner[d] = std::clamp(static_cast<int>(std::floor(position)), 0, std::max(0, extents_[d] - 2));
      beyond[d] = extents_[d] > 1 ? position - corner[d] : 0;
    }
    double sum = 0;
    for (std::size_t which = 0; which < std::size_t{1} << place.size(); ++which) {
      std::vector<int> at = corner;
      double weight = 1;
      for (std::size_t d = 0; d < place.size(); ++d) {
        const bool next = (which >> d & 1) != 0;
        weight *= next ? beyond[d] : 1 - beyond[d];
        at[d] += next ? 1 : 0;
      }
      if (weight != 0) sum += weight * values_[cell(at)];
    }
    return sum;
  }

 private:
  std::size_t cell(const std::vector<int>& at) const {
    std::size_t cell = 0;
    for (std::size_t d = at.size(); d-- > 0;)
      cell = cell * static_cast<std::size_t>(extents_[d]) + static_cast<std::size_t>(at[d]);
    return cell;
  }

  std::vector<int> extents_;
  double within_;
  std::vector<double> values_{};
};

// Ranks without a figure get one between those of the ranks around them.
std::vector<double> filled(std::vector<double> figures) {
  std::ptrdiff_t before = -1;
  const auto last = static_cast<std::ptrdiff_t>(figures.size());
  for (std::ptrdiff_t at = 0; at <= last; ++at) {
    if (at < last && figures[at] == kAbsent) continue;
    for (std::ptrdiff_t gap = before + 1; gap < at; ++gap) {
      const double left = before < 0 ? figures[at] : figures[before], right = at == last ? left : figures[at];
      figures[gap] =
          left + (right - left) * static_cast<double>(gap - before) / static_cast<double>(at - before);
    }
    before = at;
  }
  return figures;
}

// What a rank of each run, and of the target, has by the curve.
struct Expected {
  RankFigures of_run{};
  std::vector<double> in_target{};
  std::string text{};
};

Expected by_place(const Study& study, const RankPlaces& places, const std::vector<double>& largest) {
  const Curve curve(study, places, largest);
  const auto ranks_of = [&](const Grid* grid, int ranks) {
    std::vector<double> figures;
    for (int rank = 0; rank < ranks; ++rank)
      figures.push_back(std::max(0.0, curve.at(places.of(grid, ranks, rank))));
    return figures;
  };
  Expected expected{.text = places.law == nullptr ? "along the ranks" : "along the grid"};
  for (std::size_t run = 0; run < study.sizes.size(); ++run)
    expected.of_run.push_back(
        ranks_of(places.law == nullptr ? nullptr : &places.law->of_run[run], study.sizes[run].ranks));
  expected.in_target = ranks_of(places.law == nullptr ? nullptr : &places.law->target, study.target.ranks);
  return expected;
}

// Each rank differs from the others in its own way, which is the same in all runs.
Expected by_number(const Study& study, const std::vector<double>& largest) {
  Expected expected{.text = "rank by rank"};
  for (const RunSize& size : study.sizes)
    expected.of_run.emplace_back(largest.begin(), largest.begin() + size.ranks);
  for (int rank = 0; rank < study.target.ranks; ++rank)
    expected.in_target.push_back(largest[static_cast<std::size_t>(
        std::cmp_less(rank, largest.size()) ? rank : counterpart(study, rank))]);
  return expected;
}

// Nothing where a run has ranks that should have no time.
std::optional<LoadProfile> profile_of(Expected expected, const RankFigures& times) {
  LoadProfile profile{.in_target = std::move(expected.in_target), .text = std::move(expected.text)};
  double squares = 0, count = 0;
  for (std::size_t run = 0; run < times.size(); ++run) {
    const std::vector<double>& figures = expected.of_run[run];
    double sum = 0, whole = 0;
    for (std::size_t rank = 0; rank < figures.size(); ++rank) {
      if (times[run][rank] == kAbsent) continue;
      if (figures[rank] <= 0) return std::nullopt;
      sum += times[run][rank];
      whole += figures[rank];
    }
    profile.scale.push_back(sum / whole);
    if (run + 1 == times.size()) break;
    for (std::size_t rank = 0; rank < figures.size(); ++rank) {
      if (times[run][rank] == kAbsent) continue;
      const double off = times[run][rank] / (profile.scale.back() * figures[rank]) - 1;
      squares += off * off;
      ++count;
    }
  }
  profile.spread = squares / count;
  return profile;
}

// All ranks have some time, or all but a few that do something else there, such as a root.
bool almost_everywhere(const std::vector<double>& times) {
  const auto some = std::ranges::count_if(times, [](double time) { return time > 0; });
  const auto none = std::ranges::count(times, kAbsent);
  return some + none == std::ssize(times) && none <= some / 2;
}

bool holds_all_ranks(const Study& study, const GridLaw& law) {
  for (std::size_t run = 0; run < study.sizes.size(); ++run)
    if (law.of_run[run].size() != study.sizes[run].ranks) return false;
  return law.target.size() == study.target.ranks;
}

}  // namespace

std::optional<LoadProfile> find_profile(const Study& study, const RankFigures& times, double enough) {
  constexpr std::size_t kFewestRuns = 3;
  constexpr double kFirstCell = 0, kMiddle = 0.5;
  if (times.size() < kFewestRuns || !std::ranges::all_of(times, almost_everywhere)) return std::nullopt;
  const std::vector<double> largest = filled(times.back());
  std::optional<LoadProfile> best;
  const auto consider = [&](Expected expected) {
    auto profile = profile_of(std::move(expected), times);
    if (profile && profile->spread < (best ? best->spread : enough)) best = std::move(profile);
  };
  for (const double within : {kFirstCell, kMiddle}) {
    consider(by_place(study, {nullptr, within}, largest));
    for (const GridLaw& law : study.grids)
      if (holds_all_ranks(study, law)) consider(by_place(study, {&law, within}, largest));
  }
  consider(by_number(study, largest));
  return best;
}

}  // namespace waitdiag
