// Pages name functions as the text report does (wording/short_names.hpp): the JSON that they are made of has them in full.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

namespace waitdiag {

class ShownNames {
 public:
  // `full`: functions and call paths. Those that would look alike stay as they are.
  explicit ShownNames(const std::set<std::string>& full);
  const std::string& of(const std::string& full) const;

 private:
  std::map<std::string, std::string> shown_{};
};

// All functions and call paths in a result, by the keys that they have there.
void add_names(const nlohmann::ordered_json& result, std::set<std::string>& full);
void shorten_names(const ShownNames& names, nlohmann::ordered_json& result);

// Both, for a page of figures.
std::string with_shown_names(const std::string& json);

}  // namespace waitdiag
