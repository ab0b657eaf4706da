// How a result describes itself: each of its structs has one function `fields(visit, value)` that shows every
// field once, with its name and what it means. JSON in and out, its schema, the types of the page and the
// columns of tables come from these lists.
//
//   void fields(auto& visit, Of<Report::Time> auto& time) {
//     visit("total_s", time.total_s, "core seconds over all locations");
//   }
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace waitdiag {

// A const or mutable struct: one list serves both writing and reading.
template <typename Value, typename Struct>
concept Of = std::same_as<std::remove_const_t<Value>, Struct>;

// Properties of a field besides its name and meaning.
struct FieldTraits {
  bool always = true;  // false: it is left out unless `present`
  bool present = true;
  bool later = false;       // earlier versions and stores lack it: it then keeps its default
  bool negative = false;    // it may be
  bool undefined = false;   // it may be; then it is null
  bool share = false;       // 1 at most
  bool identifier = false;  // small letters, digits and underscores
  std::span<const std::string_view> words{};  // the only values allowed

  constexpr FieldTraits operator|(const FieldTraits& other) const {
    return {always && other.always,         present && other.present,           later || other.later,
            negative || other.negative,     undefined || other.undefined,       share || other.share,
            identifier || other.identifier, words.empty() ? other.words : words};
  }
};
inline constexpr FieldTraits kSigned{.negative = true}, kShare{.share = true}, kLater{.later = true},
    kUndefined{.negative = true, .undefined = true}, kIdentifier{.identifier = true};
constexpr FieldTraits only_if(bool present) {
  return {.always = false, .present = present};
}
constexpr FieldTraits one_of(std::span<const std::string_view> words) {
  return {.words = words};
}

// The words for an enum's values, in order.
template <typename Enum>
inline constexpr std::array<std::string_view, 0> kWords{};
template <typename Enum>
constexpr std::string_view word_of(Enum value) {
  return kWords<Enum>[static_cast<std::size_t>(value)];
}

// A value that is written as null if it equals `null`.
template <typename T>
struct NullFor {
  T& value;
  std::remove_const_t<T> null;
};
template <typename T>
NullFor<T> null_for(T& value, std::remove_const_t<T> null) {
  return {value, null};
}

// A list as one object: one member of its entries, which differs in all of them, is the key, another one the
// value.
template <typename List, typename Key, typename Value>
struct Keyed {
  using Entry = typename std::remove_const_t<List>::value_type;
  List& entries;
  Key Entry::*key;
  Value Entry::*value;
};
template <typename List, typename Entry, typename Key, typename Value>
Keyed<List, Key, Value> keyed(List& entries, Key Entry::*key, Value Entry::*value) {
  return {entries, key, value};
}

// The same with a number as the key; where an entry has a last one, "6-21" for all from the first to that one.
template <typename List, typename Key, typename Value>
struct Ranged {
  using Entry = typename std::remove_const_t<List>::value_type;
  List& entries;
  Key Entry::*first;
  std::optional<Key> Entry::*last;
  Value Entry::*value;
};
template <typename List, typename Entry, typename Key, typename Value>
Ranged<List, Key, Value> ranged(List& entries, Key Entry::*first, std::optional<Key> Entry::*last,
                                Value Entry::*value) {
  return {entries, first, last, value};
}

// A figure with all its digits, where others are rounded.
template <typename T>
struct Exact {
  T& value;
};
template <typename T>
Exact<T> exact(T& value) {
  return {value};
}

// A figure derived from others: written, but not read.
template <typename T>
struct Derived {
  T value;
};
template <typename T>
Derived(T) -> Derived<T>;  // Clang 14 does not find it itself

// A struct that is an array of its fields, without their names.
template <typename Struct>
inline constexpr bool kIsRow = false;

// A result that is a document of its own: the name of its schema, and whether times are rounded to the
// thousandth part of a nanosecond.
template <typename Result>
struct Document;

}  // namespace waitdiag
