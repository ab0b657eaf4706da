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

// The same: it was for a thread that calls MPI, so that it is an operation.
inline constexpr std::string_view kForCaller = "of a thread that calls MPI";
// Of a thread that calls MPI, the call that ends the wait of another one.
inline constexpr std::string_view kWakes = "wakes a thread";

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
