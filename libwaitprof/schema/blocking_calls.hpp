// How calls in which a program may wait (blocking_calls.inc) are named in an archive: recorder and analyser agree.
//
//   "write (checkpoint.*.dat)", "read (pipe)", "usleep", "select (no descriptors)"
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace waitprof::schema {

// Stands where the object of a call does: it waited for the time only.
inline constexpr std::string_view kWithoutDescriptors = "no descriptors";

// What the program calls where the compiler made another function of it: "__read_chk", "__isoc99_fscanf",
// "__open_2".
constexpr std::string_view shown_name(std::string_view name) noexcept {
  constexpr std::string_view kStandard = "__isoc99_";
  if (name.starts_with(kStandard)) {
    return name.substr(kStandard.size());
  }
  for (const std::string_view checked : {"_chk", "_2"}) {
    if (name.starts_with("__") && name.ends_with(checked)) {
      return name.substr(2, name.size() - 2 - checked.size());
    }
  }
  return name;
}

}  // namespace waitprof::schema
