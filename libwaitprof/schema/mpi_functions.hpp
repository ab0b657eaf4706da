// Names of MPI functions in figures, pages and settings: by class, from the tables of libwaitprof/spec.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace waitprof::schema {

enum class CallClass : std::uint8_t {
#define WAITPROF_CALL_CLASS(name, operation, colour, filter, counted, step) name,
#include "libwaitprof/schema/mpi_functions.inc"
#undef WAITPROF_CALL_CLASS
};

// One line of libwaitprof/spec/call_classes.spec.
struct CallClassNames {
  std::string_view operation, colour, filter, counted;
  bool step;
};

inline constexpr CallClassNames kCallClasses[] = {
#define WAITPROF_CALL_CLASS(name, operation, colour, filter, counted, step) \
  {operation, colour, filter, counted, step},
#include "libwaitprof/schema/mpi_functions.inc"
#undef WAITPROF_CALL_CLASS
};

constexpr const CallClassNames& names_of(CallClass call_class) {
  return kCallClasses[static_cast<std::size_t>(call_class)];
}

namespace detail {

struct FunctionClass {
  std::string_view name;
  CallClass call_class;
};

inline constexpr FunctionClass kFunctionClasses[] = {
// by name
#define WAITPROF_MPI_FUNCTION(name, call_class, kind, mode) {name, CallClass::call_class},
#include "libwaitprof/schema/mpi_functions.inc"
#undef WAITPROF_MPI_FUNCTION
};

}  // namespace detail

// "PMPI_Send_c" -> "MPI_Send": the name that the tables have.
constexpr std::string_view listed_name(std::string_view function) {
  if (function.starts_with("PMPI_")) function.remove_prefix(1);
  if (function.starts_with("MPI_") && function.ends_with("_c")) function.remove_suffix(2);
  return function;
}

// Other, if the function is unknown.
constexpr CallClass class_of_function(std::string_view function) {
  const std::string_view name = listed_name(function);
  const auto* const found = std::lower_bound(
      std::begin(detail::kFunctionClasses), std::end(detail::kFunctionClasses), name,
      [](const detail::FunctionClass& row, std::string_view wanted) { return row.name < wanted; });
  return found != std::end(detail::kFunctionClasses) && found->name == name ? found->call_class
                                                                            : CallClass::Other;
}

}  // namespace waitprof::schema
