// JSON that is written value by value is what the library makes of the same tree.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/json/json_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace waitdiag {
namespace {

using Json = nlohmann::ordered_json;

void write(JsonText& text, const Json& json) {
  if (json.is_object()) {
    text.open('{');
    for (const auto& [name, value] : json.items()) {
      text.key(name);
      write(text, value);
    }
    text.close('}');
  } else if (json.is_array()) {
    text.open('[');
    for (const Json& value : json) {
      text.entry();
      write(text, value);
    }
    text.close(']');
  } else if (json.is_string()) {
    text.text(json.get<std::string>());
  } else if (json.is_boolean()) {
    text.boolean(json.get<bool>());
  } else if (json.is_number_float()) {
    text.number(json.get<double>());
  } else if (json.is_number_unsigned()) {
    text.number(json.get<std::uint64_t>());
  } else if (json.is_number()) {
    text.number(json.get<std::int64_t>());
  } else {
    text.null();
  }
}

std::string written(const Json& json, JsonText::Layout layout) {
  std::ostringstream out;
  {
    JsonText text(out, layout);
    write(text, json);
  }
  return out.str();
}

std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

TEST(JsonText, IsWhatTheLibraryMakes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Json values = {
      {"empty", {{"list", Json::array()}, {"object", Json::object()}, {"text", ""}}},
      {"nested", {1, {2, {3, Json::array()}}, {{"a", {{"b", {{"c", nullptr}}}}}}}},
      {"numbers",
       {0, -1, 1.0, 0.1, -0.0, 1e-9, 1.5e300, 123456789.25, std::numeric_limits<std::uint64_t>::max(),
        std::numeric_limits<std::int64_t>::min(), kInfinity, std::numeric_limits<double>::quiet_NaN()}},
      {"words", {true, false, nullptr}},
      {"texts",
       {"main/solve", "a \"quoted\" \\ one", "line\nand\ttab\x01", "\x7f",
        "gr\xc3\xb6\xc3\x9f"
        "er",
        "bad \xff byte", "cut \xc3"}},
      {"odd \"name\"", "value"}};
  EXPECT_EQ(written(values, JsonText::Layout::Lines), dumped(values, 2));
  EXPECT_EQ(written(values, JsonText::Layout::OneLine), dumped(values, -1));
  for (const Json& value : values) EXPECT_EQ(written(value, JsonText::Layout::Lines), dumped(value, 2));
}

// More than is kept before it goes out.
TEST(JsonText, WritesLongDocuments) {
  Json list = Json::array();
  for (int i = 0; i < 20'000; ++i) list.push_back({{"number", i}, {"text", "number " + std::to_string(i)}});
  EXPECT_EQ(written(list, JsonText::Layout::Lines), dumped(list, 2));
}

}  // namespace
}  // namespace waitdiag
