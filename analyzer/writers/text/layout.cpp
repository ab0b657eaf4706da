// Text on a screen: wrapping and shortening by displayed characters, colours as ANSI sequences.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/text/layout.hpp"

#include <algorithm>
#include <array>

namespace waitdiag {
namespace {

constexpr std::array<const char*, 6> kSequences{"", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[31m"};
constexpr const char* kReset = "\x1b[0m";

constexpr bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

// Byte position of character number `count`.
std::size_t byte_position(std::string_view text, std::size_t count) {
  std::size_t position = 0;
  for (; position < text.size(); ++position)
    if (starts_character(text[position]) && count-- == 0) break;
  return position;
}

// A unit stays on the same line as its number.
bool is_unit(std::string_view word) {
  static constexpr std::array<std::string_view, 6> kUnits{"%", "s", "ms", "us", "ns", "h"};
  const std::string_view bare = word.substr(0, word.find_last_not_of(".,;:)") + 1);
  return std::find(kUnits.begin(), kUnits.end(), bare) != kUnits.end();
}

// How much of `text` must stay together: its first word, and a unit that follows it.
std::size_t unbroken_length(std::string_view text) {
  const std::size_t word = std::min(text.find(' '), text.size());
  if (word == text.size()) return word;
  const std::string_view next = text.substr(word + 1, text.find(' ', word + 1) - word - 1);
  return is_unit(next) ? word + 1 + next.size() : word;
}

}  // namespace

std::string TextStyle::paint(Ink ink, std::string_view text) const {
  if (!colour || ink == Ink::Plain) return std::string(text);
  return kSequences[static_cast<std::size_t>(ink)] + std::string(text) + kReset;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t shown = display_width(text);
  return std::string(text) + std::string(shown < width ? width - shown : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t shown = display_width(text);
  return std::string(shown < width ? width - shown : 0, ' ') + std::string(text);
}

std::string shorten_end(std::string_view text, std::size_t width, const TextStyle& style) {
  if (display_width(text) <= width) return std::string(text);
  const std::size_t room = width - std::min(width, display_width(style.gap()));
  return std::string(text.substr(0, byte_position(text, room))) + style.gap();
}

std::string shorten_start(std::string_view text, std::size_t width, const TextStyle& style) {
  const std::size_t shown = display_width(text);
  if (shown <= width) return std::string(text);
  const std::size_t room = width - std::min(width, display_width(style.gap()));
  return style.gap() + std::string(text.substr(byte_position(text, shown - room)));
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string result = margin;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t length = unbroken_length(text);
    const std::string_view word = text.substr(0, length);
    const std::size_t shown = display_width(word);
    if (column > indent && column + 1 + shown > width) {
      result += '\n' + margin;
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += shown;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return result;
}

}  // namespace waitdiag
