// A JSON file whose objects know their place in it, so that errors can name it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

namespace waitdiag {

class PlacedJson {
 public:
  // Throws TraceError "SOURCE:LINE:COLUMN: ..." for text that is not JSON. `text` must outlive this.
  PlacedJson(std::string_view text, std::string source);

  const nlohmann::json& document() const { return document_; }
  // "SOURCE:LINE:COLUMN: " of an object, "SOURCE: " of anything else.
  std::string place(const nlohmann::json& value) const;

  // Throws TraceError that begins with the place of `object`.
  [[noreturn]] void fail(const nlohmann::json& object, const std::string& what) const;

  // A member of an object as T, which `what` describes in words ("a whole number"). Throws TraceError.
  template <typename T>
  T get(const nlohmann::json& object, const std::string& key, const char* what) const {
    if (const auto found = object.find(key); found != object.end()) {
      if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {  // get() would convert -1 and 1e12
        if (found->is_number_unsigned() &&
            found->template get<std::uint64_t>() <= std::numeric_limits<T>::max())
          return found->template get<T>();
      } else if (const T* const value = found->template get_ptr<const T*>(); value != nullptr) {
        return *value;
      }
    }
    fail(object, key + " must be " + what);
  }

  // Calls visit(key, value) for the members of an object.
  template <typename Visit>
  static void for_each_member(const nlohmann::json& object, Visit visit) {
    for (const auto& [key, value] : object.items())
      if (key != kOffset) visit(key, value);
  }

 private:
  static constexpr const char* kOffset = "";  // member of each object: where its '{' is

  std::string at(std::size_t offset) const;

  std::string_view text_;
  std::string source_;
  nlohmann::json document_;
};

}  // namespace waitdiag
