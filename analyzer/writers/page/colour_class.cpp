// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/page/colour_class.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

namespace waitdiag {
namespace {

bool begins_with_one_of(std::string_view name, std::initializer_list<const char*> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* beginning) { return name.starts_with(beginning); });
}

}  // namespace

ColourClass colour_class(const Region& region) {
  if (region.kind == CallKind::Computation) return ColourClass::Computation;
  if (region.kind == CallKind::Artificial) return ColourClass::Measurement;
  if (region.kind == CallKind::Init || region.kind == CallKind::Finalize) return ColourClass::StartEnd;
  if (region.kind >= CallKind::Send && region.kind <= CallKind::Iprobe) return ColourClass::PointToPoint;
  if (region.kind >= CallKind::Barrier && region.kind <= CallKind::Scan) return ColourClass::Collective;
  if (region.kind >= CallKind::WinFence && region.kind <= CallKind::WinWait) return ColourClass::OneSided;
  if (region.kind == CallKind::CommConstruct) return ColourClass::Collective;
  if (begins_with_one_of(region.name, {"MPI_File_"})) return ColourClass::Io;
  if (begins_with_one_of(region.name, {"MPI_Win_", "MPI_Put", "MPI_Get", "MPI_Rput", "MPI_Rget",
                                       "MPI_Accumulate", "MPI_Raccumulate", "MPI_Fetch_and_op"}))
    return ColourClass::OneSided;
  return ColourClass::OtherMpi;
}

const char* colour_class_name(ColourClass colour) {
  static constexpr std::array<const char*, kColourClasses> kNames{
      "computation", "point_to_point", "collective", "one_sided",
      "io",          "start_end",      "other_mpi",  "measurement"};
  return kNames[static_cast<std::size_t>(colour)];
}

}  // namespace waitdiag
