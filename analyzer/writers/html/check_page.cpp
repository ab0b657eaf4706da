// The history of a case as one HTML page: a curve per figure, pictures as inline SVG, nothing to load.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "analyzer/wording/comparison_cells.hpp"
#include "analyzer/writers/html/html.hpp"
#include "analyzer/writers/html/html_text.hpp"

namespace waitdiag {
namespace {

using PageVerdict = CheckResult::Verdict;

constexpr double kWidth = 860, kHeight = 180, kLeft = 70, kRight = 15, kTop = 15, kBottom = 30;

struct Point {
  std::size_t night;
  double value;
};

class Curve {
 public:
  Curve(const CheckResult& result, const CheckResult::Metric& metric) : result_(result), metric_(metric) {
    for (std::size_t i = 0; i < result.nights.size(); ++i)
      if (const auto found = result.nights[i].medians.find(metric.id);
          found != result.nights[i].medians.end())
        points_.push_back({i, found->second});
    least_ = most_ = points_.empty() ? 0 : points_.front().value;
    for (const Point& point : points_) {
      least_ = std::min(least_, point.value);
      most_ = std::max(most_, point.value);
    }
    const double room = most_ > least_ ? 0.1 * (most_ - least_) : std::max(1e-9, 0.1 * std::abs(most_));
    least_ -= room;
    most_ += room;
  }

  void write(std::ostream& out) const {
    out << fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{} over the nights\">", kWidth,
                       kHeight, html_text(metric_.title));
    for (const double value : {least_, (least_ + most_) / 2, most_})
      out << fmt::format("<text x=\"4\" y=\"{:.1f}\">{}</text>", y(value) + 4,
                         html_text(format_figure(value, metric_.unit)));
    write_changes(out);
    std::string line;
    for (const Point& point : points_) line += fmt::format("{:.1f},{:.1f} ", x(point.night), y(point.value));
    out << "<polyline class=\"line\" points=\"" << line << "\"/>";
    for (const Point& point : points_) write_point(point, out);
    if (!result_.nights.empty())
      out << fmt::format(
          "<text x=\"{}\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", kLeft,
          kHeight - 8, html_text(result_.nights.front().time), kWidth - kRight, kHeight - 8,
          html_text(result_.nights.back().time));
    out << "</svg>\n";
  }

 private:
  double x(std::size_t night) const {
    const auto nights = static_cast<double>(std::max<std::size_t>(2, result_.nights.size()) - 1);
    return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(night) / nights;
  }
  double y(double value) const {
    return kTop + (kHeight - kTop - kBottom) * (most_ - value) / (most_ - least_);
  }
  void write_changes(std::ostream& out) const {
    for (const CheckResult::Metric::Change& change : metric_.changes) {
      const auto night = std::find_if(result_.nights.begin(), result_.nights.end(),
                                      [&](const CheckResult::Night& one) { return one.time == change.time; });
      if (night == result_.nights.end()) continue;
      const double at = x(static_cast<std::size_t>(night - result_.nights.begin()));
      out << fmt::format(
          "<line class=\"change\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"><title>{3}: {4} to "
          "{5}</title></line>",
          at, kTop, kHeight - kBottom, html_text(change.time + " " + change.commit),
          html_text(format_figure(change.before, metric_.unit)),
          html_text(format_figure(change.after, metric_.unit)));
    }
  }
  void write_point(const Point& point, std::ostream& out) const {
    const CheckResult::Night& night = result_.nights[point.night];
    const PageVerdict verdict = night.verdict_of(metric_.id);  // this figure's own
    const char* kind = "";
    if (verdict == PageVerdict::Inconclusive) kind = " class=\"unsure\"";
    if (verdict == PageVerdict::Regression) kind = " class=\"bad\"";
    out << fmt::format("<circle{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{} {}: {}, {}</title></circle>",
                       kind, x(point.night), y(point.value), html_text(night.time), html_text(night.commit),
                       html_text(format_figure(point.value, metric_.unit)), word_of(verdict));
  }

  const CheckResult& result_;
  const CheckResult::Metric& metric_;
  std::vector<Point> points_{};
  double least_ = 0, most_ = 0;
};

}  // namespace

void write_check_page(const CheckResult& result, std::ostream& out) {
  begin_html(result.case_name, out);
  out << fmt::format("<h1>{0}: <span class=\"v {1}\">{1}</span></h1>\n<p>{2}</p>\n",
                     html_text(result.case_name), word_of(result.verdict), html_text(result.sentence));
  out << "<p>A dot is the median of a night: large and red where this figure was worse, hollow where that "
         "was "
         "not sure. Dashed lines mark changes.</p>\n";
  for (const CheckResult::Metric& metric : result.metrics) {
    out << fmt::format("<h2>{0} <span class=\"v {1}\">{1}</span></h2>\n<p>{2}</p>\n", html_text(metric.title),
                       word_of(metric.verdict), html_text(metric.sentence));
    Curve(result, metric).write(out);
    for (const CheckResult::Metric::Change& change : metric.changes)
      out << fmt::format("<p>Changed on {} {}: {} to {}.</p>\n", html_text(change.time),
                         html_text(change.commit), html_text(format_figure(change.before, metric.unit)),
                         html_text(format_figure(change.after, metric.unit)));
  }
  if (!result.structure.empty()) {
    out << "<h2>What the program asks of "
           "MPI</h2>\n<table><tr><th>count</th><th>before</th><th>tonight</th></tr>\n";
    for (const CheckResult::Structure& one : result.structure)
      out << fmt::format("<tr><td>{}</td><td>{:.0f}</td><td>{:.0f}</td></tr>\n", html_text(one.id),
                         one.before, one.after);
    out << "</table>\n";
  }
  for (const std::string& note : result.notes) out << "<p>" << html_text(note) << ".</p>\n";
  out << "<h2>Compared with runs of the same</h2>\n<table>\n";
  for (const auto& [name, value] : result.fingerprint)
    out << fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", html_text(name), html_text(value));
  out << "</table>\n</body></html>\n";
}

}  // namespace waitdiag
