// Reading TOML files that people write: every value is checked, every error message has its line and column.
// Slow to compile: include it only in the one file of a room that reads them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/toml/units_of_measure.hpp"
#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {

// "FILE:LINE:COLUMN"
inline std::string toml_place(const std::string& source, const toml::source_region& region) {
  return source + ":" + std::to_string(region.begin.line) + ":" + std::to_string(region.begin.column);
}

// One table of a file, and its place. Errors are TraceErrors with line and column.
class TomlSection {
 public:
  TomlSection(const toml::table& table, const std::string& source) : table_(table), source_(source) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw TraceError(toml_place(source_, node.source()) + ": " + what);
  }
  [[noreturn]] void fail(const std::string& what) const { fail(table_, what); }
  // Reports an error in the value of that name, or in the whole table where there is none.
  [[noreturn]] void fail_at(std::string_view name, const std::string& what) const {
    const toml::node* const node = table_.get(name);
    fail(node == nullptr ? table_ : *node, what);
  }
  // "FILE:LINE:COLUMN" of the value of that name, which must exist.
  std::string place(std::string_view name) const { return toml_place(source_, table_.get(name)->source()); }

  void allow(std::initializer_list<std::string_view> names) const {
    for (const auto& [key, value] : table_) {
      if (std::find(names.begin(), names.end(), key.str()) != names.end()) continue;
      std::string known;
      for (const std::string_view name : names) known += (known.empty() ? "" : ", ") + std::string(name);
      fail(value, "nothing here is called " + std::string(key.str()) + "; known are " + known);
    }
  }

  bool says(std::string_view name, std::string_view word) const {
    const toml::node* const node = table_.get(name);
    return node != nullptr && node->is_string() && node->ref<std::string>() == word;
  }
  void text(std::string_view name, std::string& value) const {
    if (const toml::node* const node = table_.get(name)) value = text_of(*node, name);
  }
  void texts(std::string_view name, std::vector<std::string>& values) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    if (!node->is_array()) fail(*node, std::string(name) + " is a list of texts in quotes");
    values.clear();
    for (const toml::node& entry : *node->as_array()) values.push_back(text_of(entry, name));
  }
  // A table of texts; existing ones that it does not name are kept.
  void texts(std::string_view name, std::map<std::string, std::string>& values) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    if (!node->is_table()) fail(*node, std::string(name) + " is a table of texts");
    for (const auto& [key, value] : *node->as_table())
      values[std::string(key.str())] = text_of(value, key.str());
  }
  void number(std::string_view name, double& value, double least, double most) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    const auto found = node->value<double>();
    if (!node->is_number() || !found || !(*found >= least && *found <= most))
      fail(*node, std::string(name) + " is a number from " + shown(least) + " to " + shown(most));
    value = *found;
  }
  template <std::unsigned_integral Whole>
  void whole(std::string_view name, Whole& value, double least, double most = kMostOfAWholeNumber) const {
    auto number_value = static_cast<double>(value);
    number(name, number_value, least, most);
    const toml::node* const node = table_.get(name);
    if (node != nullptr && !node->is_integer()) fail(*node, std::string(name) + " is a whole number");
    value = static_cast<Whole>(number_value);
  }
  // One whole number for all, or a list of as many as `values` has; an empty `values` accepts any list.
  void whole_numbers(std::string_view name, std::vector<std::uint64_t>& values, double least,
                     double most) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    const toml::array* const list = node->as_array();
    const std::size_t count = list == nullptr ? std::max<std::size_t>(1, values.size()) : list->size();
    if (list != nullptr && count > kMostOfAList) fail(*node, std::string(name) + " is too long a list");
    if (!values.empty() && count != values.size())
      fail(*node, std::string(name) + " has " + std::to_string(count) + " numbers where " +
                      std::to_string(values.size()) + " are expected, one for each dimension");
    values.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const toml::node& entry = list == nullptr ? *node : (*list)[i];
      const auto found = entry.value<double>();
      if (!entry.is_integer() || !found || !(*found >= least && *found <= most))
        fail(entry, std::string(name) + " takes whole numbers from " + shown(least) + " to " + shown(most));
      values[i] = static_cast<std::uint64_t>(*found);
    }
  }
  void boolean(std::string_view name, bool& value) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    if (!node->is_boolean()) fail(*node, std::string(name) + " is true or false");
    value = node->value_or(value);
  }
  bool is_empty() const { return table_.empty(); }
  bool has(std::string_view name) const { return table_.get(name) != nullptr; }
  void time(std::string_view name, double& value) const {
    measure(name, value, nanoseconds_of, "a time such as \"1.5 us\"");
    if (value > kMostNanoseconds) fail(*table_.get(name), std::string(name) + " is at most 1000 s");
  }
  void bytes(std::string_view name, std::uint64_t& value) const {
    const toml::node* const node = table_.get(name);
    if (node != nullptr && node->is_string() && node->ref<std::string>() == "unlimited") {
      value = UINT64_MAX;
      return;
    }
    constexpr double kMost = 1e18;
    double amount = static_cast<double>(value);
    if (node != nullptr && node->is_integer()) {
      number(name, amount, 0, kMost);
    } else {
      measure(name, amount, bytes_of, "a number of bytes such as 1024 or \"64 KiB\", or \"unlimited\"");
    }
    if (node != nullptr) value = static_cast<std::uint64_t>(std::min(amount, kMost));
  }
  // A bandwidth, as time per byte.
  void bandwidth(std::string_view name, double& ns_per_byte) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    if (node->is_string() && node->ref<std::string>() == "unlimited") {
      ns_per_byte = 0;
      return;
    }
    double rate = 0;
    measure(name, rate, bytes_per_second_of, "a bandwidth such as \"10 GB/s\", or \"unlimited\"");
    if (rate <= 0) fail(*node, std::string(name) + " must be more than 0");
    if (rate < kLeastRate || rate > kMostRate)
      fail(*node, std::string(name) + " is from 1 kB/s to 1000000000 GB/s, or \"unlimited\"");
    ns_per_byte = 1e9 / rate;
  }
  template <typename Value>
  void choice(std::string_view name, Value& value,
              std::initializer_list<std::pair<std::string_view, Value>> choices) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    std::string words;
    for (const auto& [word, meaning] : choices) {
      if (node->is_string() && node->ref<std::string>() == word) {
        value = meaning;
        return;
      }
      words += (words.empty() ? "" : ", ") + std::string(word);
    }
    fail(*node, std::string(name) + " is one of " + words);
  }
  // Calls visit(section) for every table of the array `name`.
  template <typename Visit>
  void each(std::string_view name, Visit visit) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    const toml::array* const array = node->as_array();
    if (array == nullptr || !array->is_array_of_tables())
      fail(*node, std::string(name) + " is a list of tables: write [[" + std::string(name) + "]]");
    for (const toml::node& entry : *array) visit(TomlSection(*entry.as_table(), source_));
  }
  // Calls visit(its name, section) for every table in the table `name`.
  template <typename Visit>
  void each_named(std::string_view name, Visit visit) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    if (!node->is_table()) fail(*node, std::string(name) + " is a table");
    for (const auto& [key, value] : *node->as_table()) {
      if (!value.is_table()) fail(value, std::string(name) + "." + std::string(key.str()) + " is a table");
      visit(std::string(key.str()), TomlSection(*value.as_table(), source_));
    }
  }

 private:
  static constexpr double kMostOfAWholeNumber = 1 << 24;
  static constexpr std::size_t kMostOfAList = 1000;
  static constexpr double kMostNanoseconds = 1e12, kLeastRate = 1e3, kMostRate = 1e18;  // so that sums fit
  static std::string shown(double number) {
    return number == static_cast<double>(static_cast<long long>(number))
               ? std::to_string(static_cast<long long>(number))
               : fmt::format("{:g}", number);
  }
  std::string text_of(const toml::node& node, std::string_view name) const {
    if (!node.is_string()) fail(node, std::string(name) + " is a text in quotes");
    return node.ref<std::string>();
  }
  void measure(std::string_view name, double& value, std::optional<double> (*parse)(std::string_view),
               const char* what) const {
    const toml::node* const node = table_.get(name);
    if (node == nullptr) return;
    const auto amount = node->is_string() ? parse(node->ref<std::string>()) : std::nullopt;
    if (!amount) fail(*node, std::string(name) + " is " + what);
    value = *amount;
  }

  const toml::table& table_;
  const std::string& source_;
};

inline TraceError not_toml(const toml::parse_error& error, const std::string& source) {
  return TraceError(toml_place(source, error.source()) + ": not TOML: " + std::string(error.description()));
}

}  // namespace waitdiag
