// Writes a result as a JSON document, by its field lists.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/results/fields.hpp"
#include "analyzer/writers/json/json_text.hpp"

namespace waitdiag {

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

// One object, from its first member to the end of the writer's life.
class ObjectWriter {
 public:
  ObjectWriter(JsonText& text, bool rounded) : text_(text), rounded_(rounded) { text_.open('{'); }
  ~ObjectWriter() { text_.close('}'); }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  void operator()(const char* name, const auto& member, const char* = "", const FieldTraits& traits = {}) {
    if (!traits.present) return;
    text_.key(name);
    value(member);
  }
  void group(const char* name, const char*, const FieldTraits& traits, const auto& list) {
    if (!traits.present) return;
    text_.key(name);
    ObjectWriter inside(text_, rounded_);
    list(inside);
  }

 private:
  template <typename Struct>
  void value(const Struct& of) {
    if constexpr (kIsRow<Struct>) {
      text_.open('[');
      FieldCells cells{[&](const auto& member) {
        text_.entry();
        value(member);
      }};
      fields(cells, of);
      text_.close(']');
    } else {
      ObjectWriter inside(text_, rounded_);
      fields(inside, of);
    }
  }

  // The clock counts nanoseconds: digits a thousand times finer are floating point noise that bloats the file.
  static double tidy(double value) {
    constexpr double kDigits = 1e12;
    constexpr double kExactIntegers = 9007199254740992.0;
    const double scaled = value * kDigits;
    return std::abs(scaled) < kExactIntegers ? std::round(scaled) / kDigits : value;
  }

  void value(double of) { text_.number(rounded_ ? tidy(of) : of); }
  void value(bool of) { text_.boolean(of); }
  template <std::integral Number>
  void value(const Number& of) {
    text_.number(of);
  }
  void value(const std::string& of) { text_.text(of); }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void value(const Enum& of) { text_.text(word_of(of)); }
  template <typename T>
  void value(const std::optional<T>& of) {
    of ? value(*of) : text_.null();
  }
  template <typename T>
  void value(const std::vector<T>& of) {
    text_.open('[');
    for (const T& entry : of) {
      text_.entry();
      value(entry);
    }
    text_.close(']');
  }
  template <typename T>
  void value(const std::map<std::string, T>& of) {
    text_.open('{');
    for (const auto& [key, entry] : of) member(key, entry);
    text_.close('}');
  }
  template <typename T>
  void value(const NullFor<T>& of) {
    of.value == of.null ? text_.null() : value(of.value);
  }
  template <typename T>
  void value(const Exact<T>& of) {
    text_.number(of.value);
  }
  template <typename T>
  void value(const Derived<T>& of) {
    value(of.value);
  }
  template <typename... T>
  void value(const Keyed<T...>& of) {
    text_.open('{');
    for (const auto& entry : of.entries) member(key(entry.*of.key), entry.*of.value);
    text_.close('}');
  }
  template <typename... T>
  void value(const Ranged<T...>& of) {
    text_.open('{');
    for (const auto& entry : of.entries) {
      const auto& last = entry.*of.last;
      member(key(entry.*of.first) + (last ? '-' + key(*last) : ""), entry.*of.value);
    }
    text_.close('}');
  }
  void member(const std::string& name, const auto& of) {
    text_.key(name);
    value(of);
  }
  static const std::string& key(const std::string& of) { return of; }
  static std::string key(std::integral auto of) { return std::to_string(of); }

  JsonText& text_;
  bool rounded_;
};

}  // namespace waitdiag
