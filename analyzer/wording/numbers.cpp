// Numbers as people read them: three significant digits, a unit that fits, ranks as ranges.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace waitdiag {
namespace {

// As many decimals as give three significant digits; digits before the point are never dropped.
std::string three_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

struct DisplayUnit {
  double size;
  const char* name;
};

// The largest unit that `value` reaches after rounding to three digits.
template <std::size_t count>
std::string with_unit(double value, const std::array<DisplayUnit, count>& units) {
  for (const DisplayUnit& unit : units)
    if (std::abs(value) >= 0.9995 * unit.size) return three_digits(value / unit.size) + " " + unit.name;
  return three_digits(value / units.back().size) + " " + units.back().name;
}

}  // namespace

double share_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

std::string format_duration(double seconds) {
  static constexpr std::array<DisplayUnit, 4> kUnits{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  constexpr double kHour = 3600;
  constexpr double kNothing = 5e-12;  // prints as 0.00 ns; a rounding error, since clocks count nanoseconds
  if (!std::isfinite(seconds)) return "n/a";
  if (std::abs(seconds) < kNothing) return "0 s";
  if (std::abs(seconds) >= 3 * kHour) return three_digits(seconds / kHour) + " h";
  return with_unit(seconds, kUnits);
}

std::string format_share(double share) {
  if (!std::isfinite(share)) return "n/a";
  const double percent = share * 100;
  if (percent == 0) return "0 %";
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  // Rounding must not turn nearly everything into 100 %.
  const bool nearly_all = percent >= 99.5 && percent < 99.95;
  return fmt::format("{:.{}f} %", percent, std::abs(percent) < 9.95 || nearly_all ? 1 : 0);
}

std::string format_count(std::uint64_t count) {
  static constexpr std::array<DisplayUnit, 4> kUnits{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  constexpr std::uint64_t kExactBelow = 10'000;
  if (count < kExactBelow) return std::to_string(count);
  return with_unit(static_cast<double>(count), kUnits);
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::array<DisplayUnit, 4> kUnits{
      {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}}};
  constexpr std::uint64_t kExactBelow = 1024;
  if (bytes < kExactBelow) return std::to_string(bytes) + " B";
  return with_unit(static_cast<double>(bytes), kUnits);
}

std::string plural(std::uint64_t count, const std::string& noun) {
  return format_count(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string format_ranks(std::vector<std::int64_t> ranks, std::size_t most) {
  std::sort(ranks.begin(), ranks.end());
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t first = 0; first < ranks.size(); ++ranges) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (ranges == most) return text + fmt::format(", ... ({} more)", ranks.size() - first);
    if (ranges > 0) text += ", ";
    text += std::to_string(ranks[first]);
    if (last > first) text += (last == first + 1 ? ", " : "-") + std::to_string(ranks[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace waitdiag
