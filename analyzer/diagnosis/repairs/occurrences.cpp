// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/diagnosis/repairs/occurrences.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

namespace waitdiag {
namespace {

constexpr std::size_t kFew = 64;

}  // namespace

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

void Occurrences::close(const RankedBits& places) {
  set_ = &places;
  taken_sums_.assign(places_.size() + 1, 0);
  before_.resize(places_.size() + 1);
  std::iota(before_.begin(), before_.end(), 0u);
}

// The first occurrence at `place` or after it.
std::size_t Occurrences::first_at(Place place) const {
  return set_->before(place);
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

void Occurrences::take(std::size_t occurrence, double part) {
  times_[occurrence].taken += part;
  for (std::size_t i = occurrence + 1; i < taken_sums_.size(); i += i & (~i + 1)) taken_sums_[i] += part;
}

void Occurrences::take_away(const Loss& loss) {
  const std::size_t first = first_at(loss.first), end = first_at(loss.last + 1);
  if (end <= first) return;
  const double missing = loss.nanoseconds - (taken_before(end) - taken_before(first));
  if (missing <= 0) return;
  if (end - first <= kFew)
    take_from_longest(first, end, missing);
  else
    take_from_latest(first, end, missing);
}

void Occurrences::take_all() {
  for (Nanoseconds& one : times_) one.taken = one.time;
}

// Down to a common level.
void Occurrences::take_from_longest(std::size_t first, std::size_t end, double missing) {
  std::array<double, kFew> lefts;
  const std::span left(lefts.begin(), end - first);
  for (std::size_t i = first; i < end; ++i) left[i - first] = times_[i].left();
  std::ranges::sort(left, std::greater<>());
  double level = 0, sum = 0;
  for (std::size_t longer = 1; longer <= left.size(); ++longer) {
    sum += left[longer - 1];
    level = std::max(0.0, (sum - missing) / static_cast<double>(longer));
    if (longer == left.size() || level >= left[longer]) break;
  }
  for (std::size_t i = first; i < end; ++i)
    if (times_[i].left() > level) take(i, times_[i].left() - level);
}

void Occurrences::take_from_latest(std::size_t first, std::size_t end, double missing) {
  while (missing > 0) {
    end = last_with_time(end);
    if (end <= first) return;
    const double part = std::min(missing, times_[end - 1].left());
    take(end - 1, part);
    missing -= part;
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
