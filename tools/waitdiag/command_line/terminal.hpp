// What the reader's terminal can show: width, UTF-8, colours.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "analyzer/writers/text/layout.hpp"

namespace CLI {
class App;
}

namespace waitdiag::tool {

enum class ColorChoice : std::uint8_t { Auto, Always, Never };

void add_color_option(CLI::App& command, ColorChoice& choice);

bool is_terminal(int descriptor);

// For text on `descriptor`: width from COLUMNS or the terminal, else 100; UTF-8 by the locale; colour on
// terminals unless NO_COLOR is set or TERM says dumb.
TextStyle text_style(int descriptor, ColorChoice choice);

}  // namespace waitdiag::tool
