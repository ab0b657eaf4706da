// Results with random values, their text, and a check that a field list is complete: all by the lists
//themselves.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "analyzer/results/fields.hpp"

namespace waitdiag::test {

class Filler {
 public:
  Filler(std::mt19937& random, bool rounded) : random_(random), rounded_(rounded) {}

  void operator()(const char*, auto&& member, const char* = "", const FieldTraits& traits = {}) {
    fill(member, traits);
  }
  void group(const char*, const char*, const FieldTraits&, const auto& list) { list(*this); }

 private:
  std::uint64_t below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random_);
  }
  template <typename Struct>
  void fill(Struct& value, const FieldTraits&) {
    fields(*this, value);
  }
  void fill(double& value, const FieldTraits& traits) {
    constexpr std::uint64_t kMost = 1'000'000;
    value = rounded_ ? static_cast<double>(below(kMost)) / 1000
                     : std::uniform_real_distribution(0., 1e3)(random_);
    if (traits.share) value /= 1000;
    if (traits.share && rounded_) value = static_cast<double>(below(1000)) / 1000;
    if (traits.negative && below(2) == 0) value = -value;
    if (traits.undefined && below(4) == 0) value = std::numeric_limits<double>::quiet_NaN();
  }
  void fill(bool& value, const FieldTraits&) { value = below(2) == 0; }
  template <std::integral Number>
  void fill(Number& value, const FieldTraits&) {
    value = static_cast<Number>(below(2) == 0 ? below(3) : below(std::uint64_t{1} << 31));
  }
  void fill(std::string& value, const FieldTraits& traits) {
    static const std::vector<std::string> texts = {"", "main/solve", "f<int>(\"a, b\")", "größer", "C:\\dir"};
    if (!traits.words.empty())
      value = traits.words[below(traits.words.size())];
    else
      value = traits.identifier ? "late_sender" : texts[below(texts.size())];
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void fill(Enum& value, const FieldTraits&) { value = static_cast<Enum>(below(kWords<Enum>.size())); }
  template <typename T>
  void fill(std::optional<T>& value, const FieldTraits& traits) {
    if (below(3) == 0) return;
    T inside{};
    fill(inside, traits);
    value = std::move(inside);
  }
  template <typename T>
  void fill(std::vector<T>& value, const FieldTraits& traits) {
    value.resize(below(3));
    for (T& entry : value) fill(entry, {.negative = traits.negative});
  }
  template <typename T>
  void fill(std::map<std::string, T>& value, const FieldTraits& traits) {
    for (std::uint64_t i = below(3); i > 0; --i)
      fill(value["key" + std::to_string(i)], {.negative = traits.negative});
  }
  template <typename T>
  void fill(NullFor<T>& field, const FieldTraits& traits) {
    if (below(3) == 0)
      field.value = field.null;
    else
      fill(field.value, traits);
  }
  template <typename T>
  void fill(Exact<T>& field, const FieldTraits& traits) {
    fill(field.value, traits);
  }
  template <typename T>
  void fill(Derived<T>&, const FieldTraits&) {}
  template <typename... T>
  void fill(Keyed<T...>& field, const FieldTraits& traits) {
    field.entries.resize(below(4));
    std::int64_t number = 7;  // 8, 9, 10, 11: they sort differently as text
    for (auto& entry : field.entries) {
      set_key(entry.*field.key, ++number);
      fill(entry.*field.value, traits);
    }
  }
  template <typename... T>
  void fill(Ranged<T...>& field, const FieldTraits& traits) {
    field.entries.resize(below(4));
    std::int64_t number = 7;
    for (auto& entry : field.entries) {
      entry.*field.first = ++number;
      if (below(2) == 0) entry.*field.last = ++number;
      fill(entry.*field.value, traits);
    }
  }
  static void set_key(std::string& key, std::int64_t number) {
    key = std::string(1, static_cast<char>('a' + number));
  }
  static void set_key(std::integral auto& key, std::int64_t number) { key = number; }

  std::mt19937& random_;
  bool rounded_;
};

template <typename Result>
Result random_result(std::mt19937& random, bool rounded) {
  Result result;
  Filler filler(random, rounded);
  fields(filler, result);
  return result;
}

// Every value that is set, exactly.
class Shower {
 public:
  void operator()(const char* name, const auto& member, const char* = "", const FieldTraits& traits = {}) {
    if (!traits.present) return;
    text << name << '=';
    show(member);
    text << '\n';
  }
  void group(const char*, const char*, const FieldTraits& traits, const auto& list) {
    if (traits.present) list(*this);
  }
  std::ostringstream text{};

 private:
  template <typename Struct>
  void show(const Struct& value) {
    if constexpr (std::is_enum_v<Struct>)
      text << static_cast<int>(value);
    else
      fields(*this, value);
  }
  void show(double value) { text << std::hexfloat << value; }
  template <std::integral Number>
  void show(const Number& value) {
    text << value;
  }
  void show(const std::string& value) { text << value; }
  template <typename T>
  void show(const std::optional<T>& value) {
    if (value)
      show(*value);
    else
      text << "none";
  }
  template <typename T>
  void show(const std::vector<T>& value) {
    for (const T& entry : value) {
      show(entry);
      text << ';';
    }
  }
  template <typename T>
  void show(const std::map<std::string, T>& value) {
    for (const auto& [key, entry] : value) {
      text << key << ':';
      show(entry);
    }
  }
  template <typename T>
  void show(const NullFor<T>& field) {
    show(field.value);
  }
  template <typename T>
  void show(const Exact<T>& field) {
    show(field.value);
  }
  template <typename T>
  void show(const Derived<T>& field) {
    show(field.value);
  }
  template <typename... T>
  void show(const Keyed<T...>& field) {
    for (const auto& entry : field.entries) {
      show(entry.*field.key);
      text << ':';
      show(entry.*field.value);
      text << ';';
    }
  }
  template <typename... T>
  void show(const Ranged<T...>& field) {
    for (const auto& entry : field.entries) {
      show(entry.*field.first);
      text << '-';
      show(entry.*field.last);
      text << ':';
      show(entry.*field.value);
      text << ';';
    }
  }
};

template <typename Result>
std::string shown(const Result& result) {
  Shower shower;
  fields(shower, result);
  return shower.text.str();
}

// Looks for parts of a struct that no field covers: a gap that is not padding is a member missing from the
// list.
class Coverage {
 public:
  void operator()(const char*, auto&& member, const char* = "", const FieldTraits& = {}) { cover(member); }
  void group(const char*, const char*, const FieldTraits&, const auto& list) { list(*this); }

  template <typename Struct>
  static std::string gaps() {
    static std::set<std::string> begun;
    if (!begun.insert(typeid(Struct).name()).second) return "";
    Struct value;
    Coverage coverage;
    fields(coverage, value);
    const char* const begin = reinterpret_cast<const char*>(&value);
    std::size_t covered = 0;
    for (const auto& [at, size] : coverage.parts_) {
      if (at < begin || at >= begin + sizeof(Struct)) continue;
      const auto offset = static_cast<std::size_t>(at - begin);
      if (offset >= covered + alignof(std::max_align_t) / 2) coverage.note(typeid(Struct).name(), covered);
      covered = std::max(covered, offset + size);
    }
    if (covered + alignof(std::max_align_t) / 2 <= sizeof(Struct))
      coverage.note(typeid(Struct).name(), covered);
    return coverage.gaps_;
  }

 private:
  void note(const char* type, std::size_t offset) {
    gaps_ += std::string(type) + " at byte " + std::to_string(offset) + '\n';
  }
  template <typename T>
  void cover(T& member) {
    parts_[reinterpret_cast<const char*>(&member)] = sizeof(T);
    look_inside(static_cast<T*>(nullptr));
  }
  template <typename T>
  void cover(NullFor<T>& field) {
    cover(field.value);
  }
  template <typename T>
  void cover(Exact<T>& field) {
    cover(field.value);
  }
  template <typename T>
  void cover(Derived<T>&) {}
  template <typename List, typename Key, typename Value>
  void cover(Keyed<List, Key, Value>& field) {
    parts_[reinterpret_cast<const char*>(&field.entries)] = sizeof(List);
  }
  template <typename List, typename Key, typename Value>
  void cover(Ranged<List, Key, Value>& field) {
    parts_[reinterpret_cast<const char*>(&field.entries)] = sizeof(List);
  }
  template <typename T>
  void look_inside(T*) {
    if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) gaps_ += gaps<T>();
  }
  template <typename T>
  void look_inside(std::optional<T>*) {
    look_inside(static_cast<T*>(nullptr));
  }
  template <typename T>
  void look_inside(std::vector<T>*) {
    look_inside(static_cast<T*>(nullptr));
  }
  template <typename T>
  void look_inside(std::map<std::string, T>*) {}

  std::map<const char*, std::size_t> parts_{};
  std::string gaps_{};
};

template <typename Result>
std::string members_not_listed() {
  return Coverage::gaps<Result>();
}

}  // namespace waitdiag::test
