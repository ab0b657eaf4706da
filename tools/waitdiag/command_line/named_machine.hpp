// The machine that a user named.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "analyzer/simulation/machine/machine.hpp"

namespace waitdiag::tool {

// One that comes with waitdiag, or a machine file. Throws TraceError, with the name that was probably meant.
Machine named_machine(const std::string& name_or_file);

}  // namespace waitdiag::tool
