// Reads a result from its JSON document, by its field lists.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/results/fields.hpp"
#include "analyzer/trace/model/printable.hpp"

namespace waitdiag {

// With all texts except keys made printable: a stored result may come from anywhere, or from an older
// waitdiag that accepted all names.
nlohmann::json parse_printable(const std::string& text);

class ObjectReader {
 public:
  explicit ObjectReader(const nlohmann::json& object) : object_(object) {}

  void operator()(const char* name, auto&& member, const char* = "", const FieldTraits& traits = {}) const {
    if (const auto found = object_.find(name); found != object_.end()) {
      read(*found, member);
    } else if (traits.always && !traits.later) {
      object_.at(name);  // throws with the name
    }
  }
  void group(const char* name, const char*, const FieldTraits& traits, const auto& list) const {
    if (const auto found = object_.find(name); found != object_.end()) {
      const ObjectReader inside(*found);
      list(inside);
    } else if (traits.always && !traits.later) {
      object_.at(name);
    }
  }

 private:
  using json = nlohmann::json;

  template <typename Struct>
  static void read(const json& from, Struct& value) {
    if constexpr (kIsRow<Struct>) {
      std::size_t place = 0;
      const auto next = [&](const char*, auto& member) { read(from.at(place++), member); };
      fields(next, value);
    } else {
      const ObjectReader inside(from);
      fields(inside, value);
    }
  }
  // Null means undefined.
  static void read(const json& from, double& value) {
    value = from.is_null() ? std::numeric_limits<double>::quiet_NaN() : from.get<double>();
  }
  template <std::integral Number>
  static void read(const json& from, Number& value) {
    from.get_to(value);
  }
  static void read(const json& from, std::string& value) { from.get_to(value); }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  static void read(const json& from, Enum& value) {
    const auto name = from.get<std::string>();
    const auto found = std::ranges::find(kWords<Enum>, name);
    if (found == kWords<Enum>.end()) throw std::runtime_error("\"" + name + "\" is none of the known words");
    value = static_cast<Enum>(found - kWords<Enum>.begin());
  }
  template <typename T>
  static void read(const json& from, std::optional<T>& value) {
    value.reset();
    if (from.is_null()) return;
    T inside{};
    read(from, inside);
    value = std::move(inside);
  }
  template <typename T>
  static void read(const json& from, std::vector<T>& value) {
    value.clear();
    for (const json& entry : from.get_ref<const json::array_t&>()) read(entry, value.emplace_back());
  }
  template <typename T>
  static void read(const json& from, std::map<std::string, T>& value) {
    value.clear();
    for (const auto& [key, entry] : from.items()) read(entry, value[printable(key)]);
  }
  template <typename T>
  static void read(const json& from, NullFor<T>& value) {
    if (from.is_null())
      value.value = value.null;
    else
      read(from, value.value);
  }
  template <typename T>
  static void read(const json& from, Exact<T>& value) {
    read(from, value.value);
  }
  template <typename T>
  static void read(const json&, Derived<T>&) {}
  template <typename... T>
  static void read(const json& from, Keyed<T...>& value) {
    value.entries.clear();
    for (const auto& [key, entry] : from.get_ref<const json::object_t&>()) {
      auto& made = value.entries.emplace_back();
      read_key(key, made.*value.key);
      read(entry, made.*value.value);
    }
    std::ranges::sort(value.entries, {}, value.key);  // as numbers, not as texts
  }
  template <typename... T>
  static void read(const json& from, Ranged<T...>& value) {
    value.entries.clear();
    for (const auto& [key, entry] : from.get_ref<const json::object_t&>()) {
      auto& made = value.entries.emplace_back();
      const std::size_t dash = key.find('-', 1);
      read_key(key.substr(0, dash), made.*value.first);
      if (dash != std::string::npos) read_key(key.substr(dash + 1), (made.*value.last).emplace());
      read(entry, made.*value.value);
    }
    std::ranges::sort(value.entries, {}, value.first);  // as numbers, not as texts
  }
  static void read_key(const std::string& key, std::string& value) { value = printable(key); }
  static void read_key(const std::string& key, std::integral auto& value) {
    const char* const end = key.data() + key.size();
    if (std::from_chars(key.data(), end, value).ptr != end || key.empty())
      throw std::runtime_error("\"" + key + "\" is no number");
  }

  const json& object_;
};

}  // namespace waitdiag
