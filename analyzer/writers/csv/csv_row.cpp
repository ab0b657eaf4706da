// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/csv/csv_row.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace waitdiag {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char character : text) result.append(character == '"' ? 2 : 1, character);
  return result + '"';
}

}  // namespace

CsvRow::~CsvRow() {
  out_ << '\n';
}

CsvRow& CsvRow::operator<<(const std::string& text) {
  return field(quoted(text));
}

CsvRow& CsvRow::operator<<(double value) {
  return field(std::isfinite(value) ? fmt::format("{}", value) : std::string());
}

CsvRow& CsvRow::field(const std::string& text) {
  out_ << (first_ ? "" : ",") << text;
  first_ = false;
  return *this;
}

void write_csv_table(const std::filesystem::path& directory, const char* file,
                     const std::function<void(std::ostream&)>& write) {
  std::error_code trouble;
  std::filesystem::create_directories(directory, trouble);
  const std::filesystem::path path = directory / file;
  std::ofstream out(path, std::ios::binary);
  write(out);
  if (!out.flush())
    throw std::runtime_error(
        fmt::format("cannot write {}: check that the directory exists, is writable and has "
                    "space left, or name another one after --csv",
                    path.string()));
}

}  // namespace waitdiag
