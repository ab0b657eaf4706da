// Readable names of C++ functions, because demangled names fill whole lines. JSON and tables for scripts have
// the full names.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waitdiag {

// "solve<std::vector<double, std::allocator<double> >, 3>" -> "solve<std::vector<...>, 3>",
// "run(int)::{lambda(int)#1}::operator()(int) const" -> "run::{lambda#1}". Standard library glue around a
// lambda gets the lambda's name. Names of C and Fortran stay as they are.
std::string short_name(std::string_view function);

// With its parameters, which tell functions of one name apart: "Handler::operator()(Departure const&)".
std::string short_name_with_parameters(std::string_view function);

// The functions of a call path, outermost first, in full. A "/" may be part of one's name.
std::vector<std::string_view> frames_of(std::string_view call_path);

// Every function of a call path shortened, without glue: "main/run::{lambda#1}/nap".
std::string short_path(std::string_view call_path);
// The last `names` of them, at least one.
std::string short_path(std::string_view call_path, std::size_t names);

// For sentences: of a path that is longer than a line, the outermost function and those that fit at its end,
// "main/.../solve/exchange/MPI_Send".
std::string brief_path(std::string_view call_path);

}  // namespace waitdiag
