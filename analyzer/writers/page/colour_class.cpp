// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/page/colour_class.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "analyzer/trace/model/call_class.hpp"

namespace waitdiag {
namespace {

constexpr std::array<std::string_view, kColourClasses> kColourNames{
    "computation", "point_to_point", "collective", "one_sided",
    "io",          "start_end",      "other_mpi",  "measurement"};

}  // namespace

ColourClass colour_class(const Region& region) {
  if (region.kind == CallKind::Computation) return ColourClass::Computation;
  if (region.kind == CallKind::Artificial) return ColourClass::Measurement;
  const std::string_view name = waitprof::schema::names_of(call_class(region)).colour;
  return static_cast<ColourClass>(std::find(kColourNames.begin(), kColourNames.end(), name) -
                                  kColourNames.begin());
}

std::string_view colour_class_name(ColourClass colour) {
  return kColourNames[static_cast<std::size_t>(colour)];
}

}  // namespace waitdiag
