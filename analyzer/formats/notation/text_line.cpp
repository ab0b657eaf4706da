// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/formats/notation/text_line.hpp"

#include <bitset>
#include <charconv>
#include <limits>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {

std::size_t find_unquoted(std::string_view text, std::string_view marks, std::size_t from) {
  std::bitset<std::numeric_limits<unsigned char>::max() + 1> marked;
  for (const char mark : marks) marked.set(static_cast<unsigned char>(mark));
  bool quoted = false;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && marked[static_cast<unsigned char>(text[i])]) {
      return i;
    }
  }
  return text.npos;
}

TextLine::TextLine(std::size_t number, std::string_view text) : number_(number), text_(text) {
  constexpr std::string_view kBlanks = " \t\r";
  for (std::size_t begin = text.find_first_not_of(kBlanks); begin < text.size();) {
    if (text[begin] == '#') break;
    const std::size_t end = std::min(find_unquoted(text, kBlanks, begin), text.size());
    words_.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
}

bool TextLine::accept(std::string_view word) {
  if (peek() != word) return false;
  ++next_;
  return true;
}

std::string_view TextLine::take(std::string_view what) {
  if (done()) fail(std::string(what) + " is missing");
  return words_[next_++];
}

std::string TextLine::name(std::string_view what) {
  return unquote(take(what));
}

bool TextLine::at_number() const {
  return !done() && peek().find_first_not_of("0123456789") == std::string_view::npos;
}

template <typename Integer>
Integer TextLine::to_number(std::string_view word, std::string_view what) const {
  Integer value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) {
    fail(std::string(what) + " must be a number, not '" + std::string(word) + "'");
  }
  return value;
}

template <typename Integer>
Integer TextLine::number(std::string_view what) {
  return to_number<Integer>(take(what), what);
}

void TextLine::fail(std::string_view reason) const {
  const std::size_t begin = std::min(text_.find_first_not_of(" \t"), text_.size());
  const std::size_t end = text_.find_last_not_of(" \t\r") + 1;
  throw TraceError("text trace, line " + std::to_string(number_) + ": " + std::string(reason) + ": " +
                   std::string(text_.substr(begin, std::max(begin, end) - begin)));
}

std::string TextLine::unquote(std::string_view word) const {
  std::string name;
  bool quoted = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (quoted && word[i] == '\\' && i + 1 < word.size()) {
      ++i;
      name += word[i] == 'n' ? '\n' : word[i];
    } else if (word[i] == '"') {
      quoted = !quoted;
    } else {
      name += word[i];
    }
  }
  if (quoted) fail("a quote is not closed");
  return name;
}

std::vector<PathPart> TextLine::path(std::string_view word) const {
  std::vector<PathPart> parts;
  for (std::size_t begin = 0; begin <= word.size();) {
    const std::size_t end = std::min(find_unquoted(word, "/", begin), word.size());
    std::string_view part = word.substr(begin, end - begin);
    PathPart read;
    if (const std::size_t line = find_unquoted(part, "@"); line != part.npos) {
      read.line = to_number<std::uint32_t>(part.substr(line + 1), "the line after '@'");
      part = part.substr(0, line);
    }
    if (part.empty()) fail("a name in a call path is empty");
    read.name = unquote(part);
    parts.push_back(std::move(read));
    begin = end + 1;
  }
  return parts;
}

template std::int32_t TextLine::number(std::string_view);
template std::uint32_t TextLine::number(std::string_view);
template std::uint64_t TextLine::number(std::string_view);
template std::int64_t TextLine::to_number(std::string_view, std::string_view) const;
template std::uint32_t TextLine::to_number(std::string_view, std::string_view) const;

}  // namespace waitdiag
