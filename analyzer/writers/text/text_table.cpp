// One table of the text report: a wide first column for names, figures right-aligned after it, ranks last.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/text/text_table.hpp"

#include <algorithm>
#include <ostream>

namespace waitdiag {
namespace {

constexpr std::size_t kLeastNameWidth = 24;
constexpr std::string_view kBetween = "  ";

// The source position between two gaps: only its end when there is not enough room, nothing when there is
// hardly any.
std::string place_that_fits(std::string_view place, std::size_t room, const TextStyle& style) {
  constexpr std::size_t kLeastReadable = 10;
  const std::size_t margin = 2 * kBetween.size();
  if (place.empty() || room < margin + kLeastReadable) return "";
  return std::string(kBetween) + shorten_start(place, room - margin, style);
}

// Names differ at their end as often as at their begin: what does not fit is left out of the middle.
std::string shorten_middle(std::string_view name, std::size_t width, const TextStyle& style) {
  if (display_width(name) <= width) return std::string(name);
  const std::size_t end = (width - std::min(width, display_width(style.gap()))) / 2;
  const std::string tail = shorten_start(name, end + display_width(style.gap()), style);
  return shorten_end(name, width - end, style) + tail.substr(std::string_view(style.gap()).size());
}

}  // namespace

TextTable::TextTable(const TextStyle& style, std::ostream& out, std::vector<TextColumn> figures,
                     TextColumn last)
    : style_(style), out_(out), figures_(std::move(figures)), last_(std::move(last)) {
  std::size_t taken = last_.width + kBetween.size();
  for (const TextColumn& column : figures_) taken += column.width;
  name_width_ = std::max(kLeastNameWidth, style_.width - std::min(style_.width, taken));
}

std::string TextTable::right_side(const std::vector<std::string>& figures, std::string_view last) const {
  std::string text;
  for (std::size_t i = 0; i < figures_.size(); ++i)
    text += pad_left(i < figures.size() ? figures[i] : std::string(), figures_[i].width);
  if (!last.empty()) text += std::string(kBetween) + shorten_end(last, last_.width, style_);
  return text;
}

void TextTable::heading(std::string_view title) const {
  std::vector<std::string> headings;
  for (const TextColumn& column : figures_) headings.push_back(column.heading);
  out_ << style_.paint(Ink::Strong, pad_right(shorten_end(title, name_width_, style_), name_width_))
       << style_.paint(Ink::Faint, right_side(headings, last_.heading)) << '\n';
}

void TextTable::row(std::string_view name, std::string_view place, const std::vector<std::string>& figures,
                    std::string_view last) const {
  const std::string shown_name = shorten_middle(name, name_width_, style_);
  const std::size_t used = display_width(shown_name);
  std::string text = place_that_fits(place, name_width_ - used, style_);
  text += std::string(name_width_ - used - display_width(text), ' ') + right_side(figures, last);
  text.erase(text.find_last_not_of(' ') + 1);
  out_ << style_.paint(Ink::Strong, shown_name) << text << '\n';
}

void TextTable::note(std::string_view text, std::size_t indent) const {
  out_ << style_.paint(Ink::Faint, wrap(text, style_.width, indent)) << '\n';
}

}  // namespace waitdiag
