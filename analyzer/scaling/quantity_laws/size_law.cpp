// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/quantity_laws/size_law.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyzer/scaling/quantity_laws/time_law.hpp"

namespace waitdiag {
namespace {

// The ranks for which a multiple is searched.
enum class Whose : std::uint8_t { All, Apart, Others };

bool counts(Whose whose, bool apart) {
  return whose == Whose::All || apart == (whose == Whose::Apart);
}

// Nothing: not a multiple; 0: no rank has any bytes.
std::optional<double> multiple_of(const SizeLaw::Multiple& multiple, const RecordedSizes& sizes,
                                  Whose whose) {
  constexpr double kExact = 1e-9;
  std::optional<double> by;
  for (std::size_t i = 0; i < sizes.bytes.size(); ++i) {
    const double progress = multiple.progress_at(sizes.instances[i].turn);
    for (std::size_t rank = 0; rank < sizes.bytes[i].size(); ++rank) {
      if (sizes.bytes[i][rank] == kAbsent || !counts(whose, sizes.apart[i][rank])) continue;
      const double size = progress * multiple.factor->at(sizes.instances[i].run, rank);
      if (size <= 0) return std::nullopt;
      const double here = sizes.bytes[i][rank] / size;
      if (by && std::abs(here - *by) > kExact * std::abs(*by)) return std::nullopt;
      if (!by) by = here;
    }
  }
  return by.value_or(0);
}

SizeLaw::Multiple find_multiple(const std::vector<Factor>& factors, const RecordedSizes& sizes, Whose whose,
                                Progress progress = Progress::Same, bool shrinks = false) {
  SizeLaw::Multiple best;
  for (const Factor& factor : factors) {
    if (!factor.integral || (best.factor && best.factor->complexity <= factor.complexity)) continue;
    SizeLaw::Multiple multiple{.factor = factor, .progress = progress, .shrinks = shrinks};
    if (const auto by = multiple_of(multiple, sizes, whose)) {
      multiple.by = *by;
      best = std::move(multiple);
    }
  }
  return best;
}

// One turn or two rise and fall whatever happens.
bool tells(Progress progress, const Instances& instances) {
  return progress != Progress::RisingAndFalling ||
         std::ranges::any_of(instances, [](const Instance& one) { return one.turn.of > 2; });
}

// In a loop, sizes may grow and shrink from turn to turn.
SizeLaw::Multiple find_any_multiple(const std::vector<Factor>& factors, const RecordedSizes& sizes,
                                    Whose whose) {
  SizeLaw::Multiple best = find_multiple(factors, sizes, whose);
  if (best.factor ||
      std::ranges::all_of(sizes.instances, [](const Instance& one) { return one.turn.of == 1; }))
    return best;
  for (const Progress progress : kProgressesOfAmounts)
    for (const bool shrinks : {false, true})
      if (progress != Progress::Same && !best.factor && tells(progress, sizes.instances))
        best = find_multiple(factors, sizes, whose, progress, shrinks);
  return best;
}

// Bytes that grow, or shrink, by the same amount from rank to rank.
struct Lines {
  RecordedSizes first{}, more{};  // of rank 0; for each rank
};

std::optional<Lines> lines_of(const RecordedSizes& sizes) {
  Lines lines{sizes, sizes};
  for (std::size_t i = 0; i < sizes.bytes.size(); ++i) {
    std::vector<std::size_t> present;
    for (std::size_t rank = 0; rank < sizes.bytes[i].size(); ++rank)
      if (sizes.bytes[i][rank] != kAbsent) present.push_back(rank);
    if (present.size() < 3) return std::nullopt;  // through two points there is always a line
    const auto at = [&](std::size_t rank) { return sizes.bytes[i][rank]; };
    const double more =
        (at(present.back()) - at(present.front())) / static_cast<double>(present.back() - present.front());
    const double first = at(present.front()) - more * static_cast<double>(present.front());
    for (const std::size_t rank : present) {
      if (std::abs(first + more * static_cast<double>(rank) - at(rank)) > 1e-6) return std::nullopt;
      lines.first.bytes[i][rank] = first;
      lines.more.bytes[i][rank] = more;
    }
  }
  return lines;
}

}  // namespace

RanksApart rank_0_apart(const Study& study, const Instances& instances) {
  RanksApart apart = by_rank(study, instances, false);
  for (std::vector<bool>& ranks : apart) ranks.front() = true;
  return apart;
}

double SizeLaw::Multiple::progress_at(const Turn& turn) const {
  const auto multiple = static_cast<double>(multiple_at(progress, turn));
  return shrinks ? 1 / multiple : multiple;
}

SizeLaw::SizeLaw(const Study& study, const std::vector<Factor>& factors, const RecordedSizes& sizes)
    : apart_(find_any_multiple(factors, sizes, Whose::All)), others_(apart_) {
  if (apart_.factor) return;
  apart_ = find_any_multiple(factors, sizes, Whose::Apart);
  others_ = find_any_multiple(factors, sizes, Whose::Others);
  if (apart_.factor && others_.factor) return;
  find_by_rank(factors, sizes);
  if (by_rank_) return;
  exact_ = false;
  const TimeLaw law(study, {}, factors, by_run(study, sizes.instances, sizes.bytes));
  for (int rank = 0; rank < study.target.ranks; ++rank) fitted_.push_back(law.at(rank));
}

void SizeLaw::find_by_rank(const std::vector<Factor>& factors, const RecordedSizes& sizes) {
  const std::optional<Lines> lines = lines_of(sizes);
  if (!lines) return;
  const Multiple first = find_any_multiple(factors, lines->first, Whose::All);
  const Multiple more = find_any_multiple(factors, lines->more, Whose::All);
  if (!first.factor || !more.factor) return;
  apart_ = others_ = first;
  by_rank_ = more;
}

double SizeLaw::of(const Multiple& multiple, int rank, const Turn& turn) {
  return multiple.by * multiple.progress_at(turn) *
         multiple.factor->at_target(static_cast<std::size_t>(rank));
}

double SizeLaw::at(int rank, bool apart, const Turn& turn) const {
  if (!exact_) return std::round(fitted_[static_cast<std::size_t>(rank)]);
  const Multiple& mine = apart ? apart_ : others_;
  const double more = by_rank_ ? rank * of(*by_rank_, rank, turn) : 0;
  return std::round(of(mine, rank, turn) + more);
}

}  // namespace waitdiag
