// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/calibration/piecewise_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace waitdiag {
namespace {

constexpr std::size_t kFewestSizes = 3;          // of a piece: a line through two is always exact
constexpr double kSmallestSpread = 0.003;        // relative; times that repeat better are not more exact
constexpr std::size_t kEnoughForRoughness = 16;  // sizes
constexpr double kSameBound = 1.01;              // no size is needed between sizes closer than that
constexpr double kClearlyLonger = 1.3;           // than a larger message
constexpr double kSmallestStep = 0.01;     // relative; lines that differ by less have no boundary to find
constexpr double kParametersOfAPiece = 3;  // fixed part, slope, where it begins

double spread_of(const TimedSize& sample) {
  return std::hypot(kSmallestSpread, sample.spread);
}

// How far sizes typically are from the line between their neighbours, relative: the machine's own variation
// from size to size, however often it is measured. The few sizes at which pieces end do not affect the
// median.
double roughness(std::span<const TimedSize> samples) {
  std::vector<double> distances;
  for (std::size_t i = 1; i + 1 < samples.size(); ++i) {
    const TimedSize &a = samples[i - 1], &b = samples[i], &c = samples[i + 1];
    const double part = static_cast<double>(b.bytes - a.bytes) / static_cast<double>(c.bytes - a.bytes);
    distances.push_back(std::abs((a.ns + part * (c.ns - a.ns)) / b.ns - 1));
  }
  if (distances.size() < kEnoughForRoughness) return 0;
  std::ranges::nth_element(distances, distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2));
  return distances[distances.size() / 2];
}

double misfit(const LinearPiece& piece, std::span<const TimedSize> samples) {
  double sum = 0;
  for (const TimedSize& sample : samples) {
    const double error = (piece.at(sample.bytes) / sample.ns - 1) / spread_of(sample);
    sum += error * error;
  }
  return sum;
}

// Index of the piece that `bytes` belong to.
std::size_t piece_of(std::span<const LinearPiece> pieces, std::uint64_t bytes) {
  std::size_t found = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    if (pieces[p].from <= bytes) found = p;
  return found;
}

}  // namespace

LinearPiece fit_line(std::span<const TimedSize> samples) {
  double weights = 0, mean_size = 0, mean_time = 0;
  for (const TimedSize& sample : samples) {
    const double scale = sample.ns * spread_of(sample), weight = 1 / (scale * scale);
    weights += weight;
    mean_size += weight * static_cast<double>(sample.bytes);
    mean_time += weight * sample.ns;
  }
  LinearPiece line;
  if (samples.empty()) return line;
  line.from = samples.front().bytes;
  mean_size /= weights;
  mean_time /= weights;
  double sizes = 0, products = 0, raw_sizes = 0, raw_products = 0;
  for (const TimedSize& sample : samples) {
    const double scale = sample.ns * spread_of(sample), weight = 1 / (scale * scale);
    const auto size = static_cast<double>(sample.bytes);
    sizes += weight * (size - mean_size) * (size - mean_size);
    products += weight * (size - mean_size) * (sample.ns - mean_time);
    raw_sizes += weight * size * size;
    raw_products += weight * size * sample.ns;
  }
  line.ns_per_byte = sizes > 0 ? std::max(0.0, products / sizes) : 0;
  line.fixed_ns = mean_time - line.ns_per_byte * mean_size;
  if (line.fixed_ns < 0) {
    line.fixed_ns = 0;
    line.ns_per_byte = raw_products / raw_sizes;
  }
  return line;
}

std::vector<LinearPiece> fit_pieces(std::span<const TimedSize> measured) {
  const double rough = roughness(measured);
  std::vector<TimedSize> samples(measured.begin(), measured.end());
  for (TimedSize& sample : samples) sample.spread = std::hypot(sample.spread, rough);
  const std::size_t n = samples.size();
  if (n == 0) return {};
  const double price = kParametersOfAPiece * std::log(static_cast<double>(n) + 1);
  // best[e]: the best cost of the first e sizes; begin[e]: where the last piece of that fit begins.
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> begin(n + 1, 0);
  best[0] = 0;
  for (std::size_t end = std::min(n, kFewestSizes); end <= n; ++end) {
    for (std::size_t first = 0; first + std::min(n, kFewestSizes) <= end; ++first) {
      if (!std::isfinite(best[first])) continue;
      const std::span<const TimedSize> part = std::span(samples).subspan(first, end - first);
      const double total = best[first] + misfit(fit_line(part), part) + price;
      if (total >= best[end]) continue;
      best[end] = total;
      begin[end] = first;
    }
  }
  std::vector<LinearPiece> pieces;
  for (std::size_t end = n; end > 0; end = begin[end])
    pieces.push_back(fit_line(std::span(samples).subspan(begin[end], end - begin[end])));
  std::ranges::reverse(pieces);
  pieces.front().from = 0;
  return pieces;
}

std::vector<std::uint64_t> too_long(std::span<const TimedSize> samples) {
  std::vector<std::uint64_t> sizes;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = samples.size(); i-- > 0;) {
    if (samples[i].ns > kClearlyLonger * least) sizes.push_back(samples[i].bytes);
    least = std::min(least, samples[i].ns);
  }
  return sizes;
}

std::vector<std::uint64_t> sizes_between(std::span<const LinearPiece> pieces,
                                         std::span<const TimedSize> samples) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    const std::uint64_t last = samples[i].bytes, next = samples[i + 1].bytes,
                        middle = last + (next - last) / 2;
    const LinearPiece &before = pieces[piece_of(pieces, last)], &after = pieces[piece_of(pieces, next)];
    if (before.from == after.from || middle == last) continue;
    if (static_cast<double>(next) < static_cast<double>(last) * kSameBound) continue;
    const double step = std::abs(before.at(middle) - after.at(middle));
    if (step > kSmallestStep * after.at(middle)) sizes.push_back(middle);
  }
  return sizes;
}

FitError error_of(std::span<const TimedSize> samples, const std::function<double(std::uint64_t)>& model) {
  FitError result;
  for (const TimedSize& sample : samples) {
    const double error = model(sample.bytes) / sample.ns - 1;
    result.typical += error * error;
    if (std::abs(error) <= std::abs(result.worst)) continue;
    result.worst = error;
    result.worst_bytes = sample.bytes;
  }
  if (!samples.empty()) result.typical = std::sqrt(result.typical / static_cast<double>(samples.size()));
  return result;
}

}  // namespace waitdiag
