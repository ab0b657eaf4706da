// Text on a screen: how wide it may be, which characters and colours the reader's terminal shows; wrapping
// and shortening by displayed characters, not bytes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace waitdiag {

enum class Ink : std::uint8_t { Plain, Strong, Faint, Good, Fair, Bad };

struct TextStyle {
  std::size_t width = 100;
  bool utf8 = false;
  bool colour = false;

  std::string paint(Ink ink, std::string_view text) const;
  const char* times() const { return utf8 ? "×" : "x"; }
  const char* dot() const { return utf8 ? " · " : ", "; }
  const char* gap() const { return utf8 ? "…" : ".."; }
};

std::size_t display_width(
    std::string_view text);  // code points: exact except for wide and combining characters
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

// At most `width` characters; what is cut is shown by the style's gap.
std::string shorten_end(std::string_view text, std::size_t width, const TextStyle& style);
std::string shorten_start(std::string_view text, std::size_t width, const TextStyle& style);

// Breaks at spaces into lines of at most `width` characters, every line indented. A longer word stays whole.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace waitdiag
