// What the reader's terminal can show: width, UTF-8, colours.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/waitdiag/command_line/terminal.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <string_view>

#include "tools/waitdiag/command_line/choice.hpp"
#include "tools/waitdiag/command_line/environment.hpp"

namespace waitdiag::tool {
namespace {

constexpr std::size_t kNarrowest = 60;  // narrower tables become unreadable
constexpr std::size_t kWidest = 140;    // in wider tables it is hard to follow a line
constexpr std::size_t kDefaultWidth = 100;

std::size_t width_of(int descriptor) {
  std::size_t columns = 0;
  const std::string text = environment("COLUMNS");
  std::from_chars(text.data(), text.data() + text.size(), columns);
  winsize size{};
  if (columns == 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns == 0 ? kDefaultWidth : std::clamp(columns, kNarrowest, kWidest);
}

bool locale_is_utf8() {
  std::setlocale(LC_CTYPE, "");
  return std::string_view(nl_langinfo(CODESET)) == "UTF-8";
}

bool wants_colour(int descriptor, ColorChoice choice) {
  if (choice != ColorChoice::Auto) return choice == ColorChoice::Always;
  return is_terminal(descriptor) && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

}  // namespace

void add_color_option(CLI::App& command, ColorChoice& choice) {
  add_choice<ColorChoice>(
      command, "--color", choice,
      {{"auto", ColorChoice::Auto}, {"always", ColorChoice::Always}, {"never", ColorChoice::Never}},
      "Colours; auto: on a terminal, unless NO_COLOR is set [auto]");
}

bool is_terminal(int descriptor) {
  return isatty(descriptor) == 1;
}

TextStyle text_style(int descriptor, ColorChoice choice) {
  return {
      .width = width_of(descriptor), .utf8 = locale_is_utf8(), .colour = wants_colour(descriptor, choice)};
}

}  // namespace waitdiag::tool
