// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/scaling/balance/load_files.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

[[noreturn]] void complain(const std::string& source, std::size_t line, const std::string& what) {
  throw TraceError(source + ", line " + std::to_string(line) + ": " + what);
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBetween = " \t\r,;";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(kBetween); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBetween, end);
  }
  return words;
}

double load_of(std::string_view word, const std::string& source, std::size_t line) {
  double value = 0;
  const auto [end, trouble] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (trouble != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    complain(source, line, "a load is a number, not '" + std::string(word.substr(0, 40)) + "'");
  if (value < 0)
    complain(source, line, "the load " + std::string(word) + " is negative; loads are work, so 0 or more");
  return value;
}

// Calls visit(words, line) for every line that is not empty.
void each_line(std::string_view text,
               const std::function<void(const std::vector<std::string_view>&, std::size_t)>& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto words = words_of(text.substr(0, std::min(end, text.find('#'))));
    if (!words.empty()) visit(words, number);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
}

bool is_picture(std::string_view word) {
  return word.find_first_not_of("~.") == std::string_view::npos;
}

}  // namespace

std::size_t LoadMap::cells_with_load() const {
  return static_cast<std::size_t>(std::count_if(load.begin(), load.end(), [](double l) { return l > 0; }));
}

std::vector<double> parse_loads(const std::string& text, const std::string& source) {
  std::vector<double> loads;
  each_line(text, [&](const std::vector<std::string_view>& words, std::size_t line) {
    if (words.size() == 1 && !is_picture(words.front())) {
      loads.push_back(load_of(words.front(), source, line));
      return;
    }
    complain(source, line,
             "a load file has one number per line, the load of one rank; if this is a map of loads over the "
             "grid, say how it is divided with --decomposition");
  });
  if (loads.empty()) throw TraceError(source + " holds no load: write one number per line, rank 0 first");
  return loads;
}

LoadMap parse_load_map(const std::string& text, const std::string& source) {
  LoadMap map;
  each_line(text, [&](const std::vector<std::string_view>& words, std::size_t line) {
    const std::size_t before = map.load.size();
    if (words.size() == 1 && is_picture(words.front())) {
      for (const char cell : words.front()) map.load.push_back(cell == '~' ? 1 : 0);
    } else {
      for (const std::string_view word : words) map.load.push_back(load_of(word, source, line));
    }
    const std::size_t width = map.load.size() - before;
    if (map.height++ == 0) map.width = width;
    if (width != map.width)
      complain(source, line,
               "this row has " + std::to_string(width) + " cells and the first one " +
                   std::to_string(map.width) + "; all rows of a grid are equally long");
  });
  if (map.load.empty())
    throw TraceError(source +
                     " holds no grid: write one row of loads per line, or of '~' (water) and '.' (land)");
  return map;
}

}  // namespace waitdiag
