// One line of the text notation as words, with the readers for what words can be (numbers, names, call
// paths). Every complaint becomes a TraceError that quotes line number and text.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waitdiag {

struct PathPart {
  std::string name;
  std::uint32_t line = 0;  // 0: not given
};

class TextLine {
 public:
  TextLine(std::size_t number, std::string_view text);

  bool empty() const { return words_.empty(); }
  bool done() const { return next_ == words_.size(); }
  std::string_view peek() const { return done() ? std::string_view() : words_[next_]; }
  bool accept(std::string_view word);  // takes the next word if it is this one

  std::string_view take(std::string_view what);  // the next word as written; complains that `what` is missing
  std::string name(std::string_view what);       // without quotes
  template <typename Integer>
  Integer number(std::string_view what);
  bool at_number() const;

  [[noreturn]] void fail(std::string_view reason) const;

  std::string unquote(std::string_view word) const;
  template <typename Integer>
  Integer to_number(std::string_view word, std::string_view what) const;
  // "main@12/solve" -> parts, outermost first
  std::vector<PathPart> path(std::string_view word) const;

 private:
  std::size_t number_;
  std::string_view text_;
  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
};

// Position of `mark` outside quotes; `from` must not be inside quotes. npos if there is none.
std::size_t find_unquoted(std::string_view text, std::string_view marks, std::size_t from = 0);

}  // namespace waitdiag
