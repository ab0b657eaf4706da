// The colour class in which a region is drawn.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/trace/model/trace.hpp"

namespace waitdiag {

// share/web/data/model.ts has the same, in the same order.
enum class ColourClass : std::uint8_t {
  Computation,
  PointToPoint,
  Collective,
  OneSided,
  Io,
  StartEnd,
  OtherMpi,
  Measurement
};
inline constexpr std::size_t kColourClasses = 8;

ColourClass colour_class(const Region& region);
// As in the page's data: "point_to_point".
std::string_view colour_class_name(ColourClass colour);

}  // namespace waitdiag
