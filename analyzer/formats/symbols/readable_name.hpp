// Symbol names as a programmer wrote them: C++ demangled without parameters, gfortran's decorations removed.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace waitdiag {

// "_ZN3eos5matchEi" -> "eos::match", "__grid_MOD_halo" -> "grid::halo", "solve_" -> "solve", "MAIN__" ->
// "main program", "solve.constprop.0" -> "solve"
std::string readable_name(std::string_view symbol);

// "int eos::match<double>(double) const" -> "eos::match<double>"; a name that cannot be parsed stays as it
// is.
std::string without_signature(std::string_view demangled);

}  // namespace waitdiag
