// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/program_laws/pair_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace waitdiag {
namespace {

// Whole numbers of bytes are rounded.
bool about_equal(double a, double b) {
  constexpr double kRounded = 0.02, kFewBytes = 8;
  return std::abs(a - b) <= std::max(kRounded * std::max(a, b), kFewBytes);
}

double mean_of(const std::vector<std::vector<double>>& bytes) {
  double sum = 0;
  for (const std::vector<double>& row : bytes) sum = std::accumulate(row.begin(), row.end(), sum);
  return bytes.empty() ? 0 : sum / static_cast<double>(bytes.size() * bytes.size());
}

}  // namespace

PairLaw::PairLaw(const Study& study, const CollectiveRecords& recorded, const FindSizes& sizes)
    : ranks_(study.target.ranks) {
  for (const Ways ways : {Ways::Along, Ways::Around}) {
    ways_ = ways;
    if (find_by_distance(study, recorded, sizes)) return;
  }
  for (const Ways ways : {Ways::Along, Ways::Around}) {
    ways_ = ways;
    if (find_means(study, recorded, sizes)) return;
  }
  ways_ = Ways::AnyPair;
  RecordedSizes means{recorded.instances, by_rank(study, recorded.instances, kAbsent),
                      rank_0_apart(study, recorded.instances)};
  for (std::size_t i = 0; i < recorded.pairs.size(); ++i)
    std::ranges::fill(means.bytes[i], mean_of(recorded.pairs[i]));
  unit_ = sizes(means);
  of_pairs_ = recorded.pairs.back();
  const double mean = mean_of(of_pairs_);
  for (std::vector<double>& row : of_pairs_)
    for (double& bytes : row) bytes = mean > 0 ? bytes / mean : 0;
}

int PairLaw::distance(int from, int to, int ranks) const {
  if (ways_ == Ways::Along) return to - from;
  const int ahead = (to - from + ranks) % ranks;
  return 2 * ahead > ranks ? ahead - ranks : ahead;
}

// From -(ranks - 1) to ranks - 1; those that no pair has are 0. Empty: pairs as far apart differ.
std::vector<double> PairLaw::by_distance(const Matrix& bytes) const {
  const int ranks = static_cast<int>(bytes.size());
  std::vector<double> of_distance(2 * bytes.size() - 1, kAbsent);
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      const double here = bytes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
      double& known = of_distance[static_cast<std::size_t>(distance(from, to, ranks) + ranks - 1)];
      if (known == kAbsent) known = here;
      if (!about_equal(known, here)) return {};
    }
  std::ranges::replace(of_distance, kAbsent, 0.0);
  return of_distance;
}

bool PairLaw::find_by_distance(const Study& study, const CollectiveRecords& recorded,
                               const FindSizes& sizes) {
  std::vector<std::vector<double>> known;
  for (const Matrix& bytes : recorded.pairs) {
    known.push_back(by_distance(bytes));
    if (known.back().empty()) return false;
  }
  of_distance_ = known.back();
  const double most_bytes = std::ranges::max(of_distance_);
  const int most = static_cast<int>(of_distance_.size() / 2);  // distance
  int unit = 0;                                                // the nearest with most bytes
  while (of_distance_[static_cast<std::size_t>(most + unit)] < most_bytes) unit = unit > 0 ? -unit : 1 - unit;
  if (most_bytes <= 0) return false;
  RecordedSizes units{recorded.instances, by_rank(study, recorded.instances, kAbsent),
                      rank_0_apart(study, recorded.instances)};
  for (std::size_t i = 0; i < known.size(); ++i) {
    const int reach = static_cast<int>(known[i].size() / 2), nearest = reach / 2;
    if (std::abs(unit) > reach) return false;
    const double here = known[i][static_cast<std::size_t>(unit + reach)];
    // Around the ranks, the farthest ones are as far either way.
    const int compared = ways_ == Ways::Around ? nearest : reach;
    for (int by = -compared; by <= compared; ++by)
      if (!about_equal(known[i][static_cast<std::size_t>(by + reach)],
                       here * of_distance_[static_cast<std::size_t>(by + most)] / most_bytes))
        return false;
    std::ranges::fill(units.bytes[i], here);
  }
  unit_ = sizes(units);
  for (double& bytes : of_distance_) bytes /= most_bytes;
  return true;
}

std::vector<double> PairLaw::means_by_distance(const Matrix& bytes) const {
  const int ranks = static_cast<int>(bytes.size());
  std::vector<double> sum(2 * bytes.size() - 1, 0), count = sum;
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      const auto at = static_cast<std::size_t>(distance(from, to, ranks) + ranks - 1);
      sum[at] += bytes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
      ++count[at];
    }
  for (std::size_t at = 0; at < sum.size(); ++at) sum[at] = count[at] > 0 ? sum[at] / count[at] : 0;
  return sum;
}

// Distances explain most of the differences in the largest run, and those of the smaller runs are alike.
bool PairLaw::find_means(const Study& study, const CollectiveRecords& recorded, const FindSizes& sizes) {
  constexpr double kMostLeft = 0.5, kAlike = 0.25;
  const Matrix& largest = recorded.pairs.back();
  const std::vector<double> means = means_by_distance(largest);
  const double mean = mean_of(largest), most_bytes = std::ranges::max(means);
  const int ranks = static_cast<int>(largest.size());
  if (most_bytes <= 0) return false;
  const auto at_distance = [&](int from, int to, int of) {
    const int by = distance(from, to, of) + ranks - 1;
    return by < 0 || by >= static_cast<int>(means.size()) ? 0 : means[static_cast<std::size_t>(by)];
  };
  double all = 0, left = 0;
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      const double here = largest[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
      all += (here - mean) * (here - mean);
      left += (here - at_distance(from, to, ranks)) * (here - at_distance(from, to, ranks));
    }
  if (left > kMostLeft * all) return false;
  RecordedSizes units{recorded.instances, by_rank(study, recorded.instances, kAbsent),
                      rank_0_apart(study, recorded.instances)};
  for (std::size_t i = 0; i < recorded.pairs.size(); ++i) {
    const Matrix& bytes = recorded.pairs[i];
    const int here = static_cast<int>(bytes.size());
    double sum = 0, of_means = 0;
    for (int from = 0; from < here; ++from)
      for (int to = 0; to < here; ++to) {
        sum += bytes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
        of_means += at_distance(from, to, here);
      }
    const double scale = of_means > 0 ? sum / of_means : 0;
    const std::vector<double> own = means_by_distance(bytes);
    double differ = 0;
    for (int from = 0; from < here; ++from)
      for (int to = 0; to < here; ++to)
        differ += std::abs(own[static_cast<std::size_t>(distance(from, to, here) + here - 1)] -
                           scale * at_distance(from, to, here));
    if (scale <= 0 || differ > kAlike * sum) return false;
    std::ranges::fill(units.bytes[i], scale * most_bytes);
  }
  unit_ = sizes(units);
  means_ = true;
  of_pairs_ = largest;
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to) {
      double& one = of_pairs_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
      const double typical = at_distance(from, to, ranks);
      one = typical > 0 ? one / typical : 1;
    }
  of_distance_ = means;
  for (double& bytes : of_distance_) bytes /= most_bytes;
  return true;
}

// Of one of the pairs of the largest run that are as far apart.
double PairLaw::ratio_of(int from, int distance) const {
  const int ranks = static_cast<int>(of_pairs_.size()), far = std::abs(distance);
  if (!means_ || far >= ranks) return 1;
  const bool around = ways_ == Ways::Around;
  const int first = around || distance >= 0 ? 0 : far, count = around ? ranks : ranks - far;
  const int sender = first + from % count, receiver = (sender + distance + ranks) % ranks;
  return of_pairs_[static_cast<std::size_t>(sender)][static_cast<std::size_t>(receiver)];
}

bool PairLaw::exact() const {
  return !means_ && ways_ == Ways::Along && unit_->exact() &&
         std::ranges::all_of(of_distance_, [](double one) { return one == 1; });
}

// As between the farthest in the largest run and those half as far.
double PairLaw::farther(int distance) const {
  const int most = static_cast<int>(of_distance_.size() / 2);
  const int reach = ways_ == Ways::Around ? most / 2 : most;
  const int way = distance < 0 ? -1 : 1, far = std::abs(distance);
  const auto known = [&](int by) { return of_distance_[static_cast<std::size_t>(most + way * by)]; };
  if (far <= reach) return known(far);
  const int half = reach / 2;
  if (half == 0 || known(reach) <= 0 || known(half) <= 0) return known(reach);
  const double slope =
      std::min(0.0, std::log(known(reach) / known(half)) / std::log(static_cast<double>(reach) / half));
  return known(reach) * std::pow(static_cast<double>(far) / reach, slope);
}

double PairLaw::at(int from, int to, const Turn& turn) const {
  const double unit = unit_->at(0, true, turn);
  if (ways_ != Ways::AnyPair) {
    const int by = distance(from, to, ranks_);
    return unit * farther(by) * ratio_of(from, by);
  }
  const auto& row = of_pairs_[static_cast<std::size_t>(from) % of_pairs_.size()];
  return unit * row[static_cast<std::size_t>(to) % row.size()];
}

}  // namespace waitdiag
