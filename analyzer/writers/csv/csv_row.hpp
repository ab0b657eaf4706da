// A line of a CSV table, and a file of such lines: RFC 4180 quoting, lines end in LF; an undefined figure is
// an empty field.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace waitdiag {

class CsvRow {
 public:
  explicit CsvRow(std::ostream& out) : out_(out) {}
  ~CsvRow();
  CsvRow(const CsvRow&) = delete;
  CsvRow& operator=(const CsvRow&) = delete;

  CsvRow& operator<<(const std::string& text);
  CsvRow& operator<<(const char* text) { return *this << std::string(text); }
  CsvRow& operator<<(std::string_view text) { return *this << std::string(text); }
  CsvRow& operator<<(double value);
  CsvRow& operator<<(std::uint64_t value) { return field(std::to_string(value)); }
  CsvRow& operator<<(std::int64_t value) { return field(std::to_string(value)); }

 private:
  CsvRow& field(const std::string& text);

  std::ostream& out_;
  bool first_ = true;
};

// Creates the directory if needed and replaces the file. Throws std::runtime_error with the file's name when
// it cannot.
void write_csv_table(const std::filesystem::path& directory, const char* file,
                     const std::function<void(std::ostream&)>& write);

}  // namespace waitdiag
