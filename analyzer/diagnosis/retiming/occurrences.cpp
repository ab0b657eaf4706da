// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/retiming/occurrences.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace waitdiag {

void Occurrences::reserve(std::size_t occurrences) {
  places_.reserve(occurrences);
  times_.reserve(occurrences);
}

void Occurrences::add(Place place, double nanoseconds) {
  if (places_.empty() || places_.back() != place) {
    places_.push_back(place);
    times_.emplace_back();
  }
  times_.back().time += nanoseconds;
}

void Occurrences::close() {
  taken_sums_.assign(places_.size() + 1, 0);
  before_.resize(places_.size() + 1);
  std::iota(before_.begin(), before_.end(), 0u);
}

// The first occurrence at `place` or after it.
std::size_t Occurrences::first_at(Place place) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(places_, place) - places_.begin());
}

double Occurrences::taken_before(std::size_t occurrence) const {
  double sum = 0;
  for (std::size_t i = occurrence; i > 0; i &= i - 1) sum += taken_sums_[i];
  return sum;
}

// The last one before number `end` with time left, + 1; 0: none.
std::size_t Occurrences::last_with_time(std::size_t end) {
  std::size_t found = end;
  while (before_[found] != found) found = before_[found];
  while (before_[end] != found) {  // the next search is shorter
    const std::size_t next = before_[end];
    before_[end] = static_cast<std::uint32_t>(found);
    end = next;
  }
  return found;
}

void Occurrences::take_away(const Loss& loss) {
  const std::size_t first = first_at(loss.first);
  std::size_t end = first_at(loss.last + 1);
  if (end <= first) return;
  double missing = loss.nanoseconds - (taken_before(end) - taken_before(first));
  while (missing > 0) {
    end = last_with_time(end);
    if (end <= first) return;
    Nanoseconds& occurrence = times_[end - 1];
    const double part = std::min(missing, occurrence.time - occurrence.taken);
    occurrence.taken += part;
    missing -= part;
    for (std::size_t i = end; i < taken_sums_.size(); i += i & (~i + 1)) taken_sums_[i] += part;
    if (missing > 0) before_[end] = static_cast<std::uint32_t>(end - 1);
  }
}

std::vector<Saving> Occurrences::savings() const {
  constexpr double kHalfANanosecond = 0.5;
  const auto is_saved = [](const Nanoseconds& occurrence) { return occurrence.taken >= kHalfANanosecond; };
  std::vector<Saving> result;
  result.reserve(static_cast<std::size_t>(std::ranges::count_if(times_, is_saved)));
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!is_saved(times_[i])) continue;
    result.push_back({places_[i] / 2, places_[i] % 2 == 1, Duration(std::llround(times_[i].taken))});
  }
  return result;
}

}  // namespace waitdiag
