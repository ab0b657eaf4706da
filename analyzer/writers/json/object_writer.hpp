// Writes a result as a JSON document, by its field lists.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/results/fields.hpp"

namespace waitdiag {

using OrderedJson = nlohmann::ordered_json;

// Shows a struct's fields to another function, as an array.
template <typename Show>
struct FieldCells {
  Show show;
  void operator()(const char*, const auto& member, const char* = "", const FieldTraits& = {}) {
    show(member);
  }
};
template <typename Show>
FieldCells(Show) -> FieldCells<Show>;  // Clang 14 does not find it itself

class ObjectWriter {
 public:
  explicit ObjectWriter(bool rounded) : rounded_(rounded) {}

  void operator()(const char* name, const auto& member, const char* = "", const FieldTraits& traits = {}) {
    if (traits.present) members_.emplace_back(name, value(member));
  }
  void group(const char* name, const char*, const FieldTraits& traits, const auto& list) {
    if (!traits.present) return;
    ObjectWriter inside(rounded_);
    list(inside);
    members_.emplace_back(name, inside.object());
  }

  // An ordered object searches all its names for each one that is added, but these are different anyway.
  OrderedJson object() {
    OrderedJson::object_t object;
    object.reserve(members_.size());
    for (auto& [name, value] : members_) object.emplace_back(name, std::move(value));
    return object;
  }

  template <typename Struct>
  OrderedJson value(const Struct& of) const {
    if constexpr (kIsRow<Struct>) {
      OrderedJson row = OrderedJson::array();
      FieldCells cells{[&](const auto& member) { row.push_back(value(member)); }};
      fields(cells, of);
      return row;
    } else {
      ObjectWriter inside(rounded_);
      fields(inside, of);
      return inside.object();
    }
  }

 private:
  // The clock counts nanoseconds: digits a thousand times finer are floating point noise that bloats the file.
  static double tidy(double value) {
    constexpr double kDigits = 1e12;
    constexpr double kExactIntegers = 9007199254740992.0;
    const double scaled = value * kDigits;
    return std::abs(scaled) < kExactIntegers ? std::round(scaled) / kDigits : value;
  }

  OrderedJson value(double of) const { return rounded_ ? tidy(of) : of; }
  template <std::integral Number>
  OrderedJson value(const Number& of) const {
    return of;
  }
  OrderedJson value(const std::string& of) const { return of; }
  template <typename Enum>
  requires std::is_enum_v<Enum> OrderedJson value(const Enum& of)
  const { return std::string(word_of(of)); }
  template <typename T>
  OrderedJson value(const std::optional<T>& of) const {
    return of ? value(*of) : OrderedJson();
  }
  template <typename T>
  OrderedJson value(const std::vector<T>& of) const {
    OrderedJson::array_t list;
    list.reserve(of.size());
    for (const T& entry : of) list.push_back(value(entry));
    return list;
  }
  template <typename T>
  OrderedJson value(const std::map<std::string, T>& of) const {
    OrderedJson::object_t object;
    object.reserve(of.size());
    for (const auto& [key, entry] : of) object.emplace_back(key, value(entry));
    return object;
  }
  template <typename T>
  OrderedJson value(const NullFor<T>& of) const {
    return of.value == of.null ? OrderedJson() : value(of.value);
  }
  template <typename T>
  OrderedJson value(const Exact<T>& of) const {
    return of.value;
  }
  template <typename T>
  OrderedJson value(const Derived<T>& of) const {
    return value(of.value);
  }
  template <typename... T>
  OrderedJson value(const Keyed<T...>& of) const {
    OrderedJson::object_t object;
    object.reserve(of.entries.size());
    for (const auto& entry : of.entries) object.emplace_back(key(entry.*of.key), value(entry.*of.value));
    return object;
  }
  static const std::string& key(const std::string& of) { return of; }
  static std::string key(std::integral auto of) { return std::to_string(of); }
  template <typename... T>
  OrderedJson value(const Ranged<T...>& of) const {
    OrderedJson::object_t object;
    object.reserve(of.entries.size());
    for (const auto& entry : of.entries) {
      const auto& last = entry.*of.last;
      object.emplace_back(key(entry.*of.first) + (last ? '-' + key(*last) : ""), value(entry.*of.value));
    }
    return object;
  }

  bool rounded_;
  std::vector<std::pair<const char*, OrderedJson>> members_{};
};

}  // namespace waitdiag
