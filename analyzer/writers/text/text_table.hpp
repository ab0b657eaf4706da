// One table of the text report: a wide first column for names, figures right-aligned after it, ranks last.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/writers/text/layout.hpp"

namespace waitdiag {

struct TextColumn {
  std::string heading;
  std::size_t width;
};

class TextTable {
 public:
  // `figures` are right-aligned; `last` is left-aligned and may be empty.
  TextTable(const TextStyle& style, std::ostream& out, std::vector<TextColumn> figures, TextColumn last);

  void heading(std::string_view title) const;
  // `place` (a source position) is printed beside the name as far as there is room.
  void row(std::string_view name, std::string_view place, const std::vector<std::string>& figures,
           std::string_view last) const;
  std::size_t name_width() const { return name_width_; }
  void note(std::string_view text, std::size_t indent) const;  // wrapped over the whole width, faint

 private:
  std::string right_side(const std::vector<std::string>& figures, std::string_view last) const;

  const TextStyle& style_;
  std::ostream& out_;
  std::vector<TextColumn> figures_;
  TextColumn last_;
  std::size_t name_width_;
};

}  // namespace waitdiag
