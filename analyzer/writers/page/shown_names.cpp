// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/page/shown_names.hpp"

#include <nlohmann/json.hpp>

#include "analyzer/wording/short_names.hpp"

namespace waitdiag {
namespace {

using Json = nlohmann::ordered_json;

bool is_name(const std::string& key, bool in_changes) {
  return key == "call_path" || key == "function" || key == "loses_most" ||
         (in_changes && (key == "id" || key == "title"));
}

// visit(name) for each of them. What changed from one run to another has other keys (comparison.hpp).
void for_each_name(Json& value, bool in_changes, auto visit) {
  if (value.is_array())
    for (Json& entry : value) for_each_name(entry, in_changes, visit);
  if (!value.is_object()) return;
  const bool compares = value.contains("outcome");
  for (auto& [key, member] : value.items()) {
    if (member.is_string() && is_name(key, in_changes)) {
      visit(member);
    } else {
      for_each_name(member, compares ? key == "causes" || key == "functions" : in_changes, visit);
    }
  }
}

}  // namespace

ShownNames::ShownNames(const std::set<std::string>& full) {
  std::map<std::string, int> times;
  for (const std::string& name : full) {
    std::string shown = short_path(name);
    if (shown.empty()) shown = name;
    ++times[shown];
    shown_.emplace(name, std::move(shown));
  }
  std::erase_if(shown_, [&](const auto& entry) { return times[entry.second] > 1; });
}

const std::string& ShownNames::of(const std::string& full) const {
  const auto found = shown_.find(full);
  return found == shown_.end() ? full : found->second;
}

void add_names(const Json& result, std::set<std::string>& full) {
  Json copy = result;
  for_each_name(copy, false, [&](const Json& name) { full.insert(name.get<std::string>()); });
}

void shorten_names(const ShownNames& names, Json& result) {
  for_each_name(result, false, [&](Json& name) { name = names.of(name.get<std::string>()); });
}

std::string with_shown_names(const std::string& json) {
  Json result = Json::parse(json);
  std::set<std::string> full;
  add_names(result, full);
  shorten_names(ShownNames(full), result);
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace waitdiag
