// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/nightly/check/structure.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "analyzer/nightly/compare/figures.hpp"

namespace waitdiag {
namespace {

struct Extremes {
  double least = 0, most = 0;
  std::size_t runs = 0;
  void add(double value) {
    least = runs == 0 ? value : std::min(least, value);
    most = runs == 0 ? value : std::max(most, value);
    ++runs;
  }
};
using Items = std::map<std::string, Extremes>;

Items items_of(const std::vector<const Report*>& reports) {
  Items items;
  for (const Report* report : reports) {
    for (const FigureOf& figure : figures_compared()) {
      const bool structural =
          figure.unit == Comparison::Unit::Count || figure.unit == Comparison::Unit::Bytes;
      // The sum of all calls includes those that may change, so call sites are compared one by one instead.
      if (structural && std::string("mpi_calls") != figure.id) items[figure.id].add(figure.value(*report));
    }
    for (const Report::CallSite& site : report->call_sites)
      items[site.call_path].add(static_cast<double>(site.calls));
  }
  for (auto& [name, values] : items)
    if (values.runs < reports.size()) values.add(0);  // missing in some runs
  return items;
}

bool allowed(const std::string& name, const std::vector<std::string>& allow) {
  const std::size_t slash = name.rfind('/');
  const std::string function = slash == std::string::npos ? name : name.substr(slash + 1);
  return std::any_of(allow.begin(), allow.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
           fnmatch(pattern.c_str(), function.c_str(), 0) == 0;
  });
}

}  // namespace

StructureComparison compare_structure(const std::vector<const Report*>& reference,
                                      const std::vector<const Report*>& today,
                                      const std::vector<std::string>& allow) {
  StructureComparison comparison;
  if (reference.empty() || today.empty()) return comparison;
  Items before = items_of(reference), after = items_of(today);
  for (const auto& [name, values] : after) before.try_emplace(name);
  for (const auto& [name, was] : before) {
    const Extremes is = after[name];
    if (was.least != was.most || is.least != is.most || allowed(name, allow)) {
      comparison.not_compared.push_back(name);
      continue;
    }
    ++comparison.compared;
    if (was.least != is.least) comparison.changed.push_back({name, was.least, is.least});
  }
  return comparison;
}

}  // namespace waitdiag
