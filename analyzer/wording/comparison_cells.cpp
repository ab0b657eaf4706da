// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/wording/comparison_cells.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analyzer/wording/numbers.hpp"

namespace waitdiag {
namespace {

std::string with_sign(double seconds) {
  return (seconds > 0 ? "+" : "") + format_duration(seconds);
}

}  // namespace

std::string format_figure(double value, Comparison::Unit unit) {
  if (!std::isfinite(value)) return "n/a";
  switch (unit) {
    case Comparison::Unit::Seconds:
      return format_duration(value);
    case Comparison::Unit::Share:
      return format_share(value);
    case Comparison::Unit::Count:
      return format_count(static_cast<std::uint64_t>(std::llround(value)));
    case Comparison::Unit::Bytes:
      return format_bytes(static_cast<std::uint64_t>(std::llround(value)));
  }
  return "";
}

std::string change_cell(const Comparison::Figure& figure) {
  if (!std::isfinite(figure.before) || !std::isfinite(figure.after) || figure.before == figure.after)
    return "";
  const bool is_share = figure.unit == Comparison::Unit::Share;
  if (figure.before == 0 && !is_share) return "new";
  constexpr double kShown = 0.0005;
  const double by = is_share ? figure.after - figure.before : figure.after / figure.before - 1;
  return std::abs(by) < kShown ? "" : fmt::format("{:+.1f} {}", 100 * by, is_share ? "pts" : "%");
}

std::string spread_cell(const Comparison::Figure& figure) {
  if (!figure.spread || figure.unit != Comparison::Unit::Seconds) return "";
  return fmt::format("{} .. {}, p {:.2g}", with_sign(figure.spread->low), with_sign(figure.spread->high),
                     figure.spread->p);
}

std::string time_cell(double seconds, double below) {
  return below > 0 ? "< " + format_duration(below) : format_duration(seconds);
}

std::string by_cell(const Comparison::Change& change) {
  return with_sign(change.by());
}

std::string side_label(const Comparison::Side& side, const char* dot) {
  std::string text = side.sources.front();
  if (side.sources.size() > 1) text += fmt::format(" and {} more", side.sources.size() - 1);
  if (!side.program.empty()) text += dot + side.program;
  return text + dot + plural(side.ranks, "rank") + dot + plural(side.sources.size(), "run");
}

}  // namespace waitdiag
