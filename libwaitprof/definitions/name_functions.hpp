// Code places -> names of functions, from the symbol tables of the modules.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "libwaitprof/definitions/definitions.hpp"

namespace waitprof::archive {

// Names the functions in one module that have no name yet; nothing if the file cannot be read here or is
// another build.
void name_functions_in(std::uint32_t module, Definitions& definitions);

// The same for all modules.
void name_functions(Definitions& definitions);

}  // namespace waitprof::archive
