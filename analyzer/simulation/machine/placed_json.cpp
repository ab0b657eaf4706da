// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/simulation/machine/placed_json.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "analyzer/trace/model/trace_error.hpp"

namespace waitdiag {
namespace {

using Json = nlohmann::json;

// Counts how far the parser has come, because its callback does not get the position.
struct CountedCharacter {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* next;
  const char** read = nullptr;

  reference operator*() const { return *next; }
  CountedCharacter& operator++() {
    *read = ++next;
    return *this;
  }
  CountedCharacter operator++(int) {
    const CountedCharacter before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountedCharacter& other) const { return next == other.next; }
  bool operator!=(const CountedCharacter& other) const { return next != other.next; }
};

}  // namespace

PlacedJson::PlacedJson(std::string_view text, std::string source) : text_(text), source_(std::move(source)) {
  const char* read = text.data();
  std::vector<std::size_t> open;
  const auto note = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      open.push_back(static_cast<std::size_t>(read - text.data()) - 1);
    } else if (event == Json::parse_event_t::object_end) {
      parsed[kOffset] = open.back();
      open.pop_back();
    }
    return true;
  };
  try {
    document_ = Json::parse(CountedCharacter{text.data(), &read},
                            CountedCharacter{text.data() + text.size(), &read}, note);
  } catch (const Json::parse_error& error) {
    throw TraceError(at(error.byte > 0 ? error.byte - 1 : 0) + "no JSON goes on like this");
  }
}

std::string PlacedJson::at(std::size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  const std::size_t column = before.size() - (before.rfind('\n') + 1);  // npos + 1 is 0
  return source_ + ":" + std::to_string(1 + std::ranges::count(before, '\n')) + ":" +
         std::to_string(column + 1) + ": ";
}

std::string PlacedJson::place(const Json& value) const {
  const auto offset = value.is_object() ? value.find(kOffset) : value.end();
  return offset != value.end() ? at(offset->get<std::size_t>()) : source_ + ": ";
}

void PlacedJson::fail(const Json& object, const std::string& what) const {
  throw TraceError(place(object) + what);
}

}  // namespace waitdiag
