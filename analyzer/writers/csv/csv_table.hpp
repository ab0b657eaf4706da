// A list of results as a table, from their field lists: a column for each field that fits into a cell.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/results/fields.hpp"
#include "analyzer/writers/csv/csv_row.hpp"

namespace waitdiag {

// Types that fit into a cell. Lists and structs have tables of their own.
template <typename T>
inline constexpr bool kIsCell =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;
template <typename T>
inline constexpr bool kIsCell<std::optional<T>> = std::is_arithmetic_v<T>;
template <typename T>
inline constexpr bool kIsCell<NullFor<T>> = std::is_arithmetic_v<T>;
template <typename T>
inline constexpr bool kIsCell<Exact<T>> = true;

class CsvColumns {
 public:
  explicit CsvColumns(std::vector<std::string_view>& names) : names_(names) {}
  void operator()(const char* name, const auto& member, const char* = "", const FieldTraits& = {}) {
    if (kIsCell<std::remove_cvref_t<decltype(member)>>) names_.emplace_back(name);
  }

 private:
  std::vector<std::string_view>& names_;
};

// Writes the field of one column.
class CsvCell {
 public:
  CsvCell(CsvRow& row, std::string_view column) : row_(row), column_(column) {}
  void operator()(const char* name, const auto& member, const char* = "", const FieldTraits& = {}) {
    if constexpr (kIsCell<std::remove_cvref_t<decltype(member)>>)
      if (name == column_) write(member);
  }

 private:
  template <typename T>
  void write(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
      row_ << std::string_view(value ? "true" : "false");
    else if constexpr (std::is_enum_v<T>)
      row_ << word_of(value);
    else if constexpr (std::is_unsigned_v<T>)
      row_ << std::uint64_t{value};
    else if constexpr (std::is_integral_v<T>)
      row_ << std::int64_t{value};
    else
      row_ << value;
  }
  template <typename T>
  void write(const std::optional<T>& value) {
    if (value)
      write(*value);
    else
      row_ << std::string_view();
  }
  template <typename T>
  void write(const NullFor<T>& field) {
    if (field.value == field.null)
      row_ << std::string_view();
    else
      write(field.value);
  }
  template <typename T>
  void write(const Exact<T>& field) {
    write(field.value);
  }

  CsvRow& row_;
  std::string_view column_;
};

// `first` are the leading columns, the others follow in the order of the field list.
template <typename Entry>
void write_csv_list(std::ostream& out, const std::vector<Entry>& entries,
                    std::vector<std::string_view> first = {}) {
  std::vector<std::string_view> names;
  CsvColumns columns(names);
  const Entry empty{};
  fields(columns, empty);
  for (const std::string_view name : names)
    if (std::ranges::find(first, name) == first.end()) first.push_back(name);
  {
    CsvRow head(out);
    for (const std::string_view name : first) head << name;
  }
  for (const Entry& entry : entries) {
    CsvRow row(out);
    for (const std::string_view name : first) {
      CsvCell cell(row, name);
      fields(cell, entry);
    }
  }
}

}  // namespace waitdiag
