// The text of a JSON document, written value by value: so a large one is never in memory as a tree.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>

namespace waitdiag {

class JsonText {
 public:
  enum class Layout { Lines, OneLine };  // every member on a line of its own, or nothing but what is needed

  JsonText(std::ostream& out, Layout layout) : out_(out), lines_(layout == Layout::Lines) {}
  ~JsonText() { flush(); }
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  void open(char bracket) {
    text_ += bracket;
    ++depth_;
    is_first_ = true;
  }
  void close(char bracket) {
    --depth_;
    if (!is_first_) new_line();
    is_first_ = false;
    text_ += bracket;
  }
  // Before a value of an array.
  void entry() {
    constexpr std::size_t kMany = std::size_t{1} << 16;
    if (text_.size() > kMany) flush();
    if (!is_first_) text_ += ',';
    is_first_ = false;
    new_line();
  }
  // Before a value of an object.
  void key(std::string_view name) {
    entry();
    text(name);
    text_ += lines_ ? ": " : ":";
  }

  void null() { text_ += "null"; }
  void boolean(bool value) { text_ += value ? "true" : "false"; }
  void number(std::integral auto value) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text_.append(digits.data(), end);
  }
  // As few digits as tell it from all others.
  void number(double value) {
    if (!std::isfinite(value)) return null();
    std::array<char, 64> digits{};
    const char* const end = nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value);
    text_.append(static_cast<const char*>(digits.data()), end);
  }
  // Function names come from other people's binaries: an invalid byte must not prevent the whole document.
  void text(std::string_view value) {
    if (std::ranges::all_of(value, is_plain)) {
      text_ += '"';
      text_ += value;
      text_ += '"';
    } else {
      text_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
  }

 private:
  static bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }
  void new_line() {
    if (!lines_) return;
    text_ += '\n';
    text_.append(2 * depth_, ' ');
  }
  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  bool lines_;
  bool is_first_ = true;
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace waitdiag
